# The engine as OpenBench and other testing frameworks build it, for the processor of this machine:
#   make EXE=kiki [EVALFILE=nn.bin] [FEATURES=tune]
# EVALFILE is the network to embed, FEATURES are those of the package. People need no make:
# cargo run --release.
EXE ?= kiki
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
BUILT := target/native/release/kiki$(SUFFIX)

.PHONY: all
all:
	RUSTFLAGS="-C target-cpu=native" KIKI_EVALFILE="$(abspath $(EVALFILE))" \
	cargo build --release --locked --package kiki --bin kiki --features "$(FEATURES)" --target-dir target/native
	cp $(BUILT) $(EXE:$(SUFFIX)=)$(SUFFIX)
