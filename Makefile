# The engine as OpenBench and other testing frameworks build it, for the processor of this machine:
#   make EXE=kiki
# People need no make: cargo run --release.
EXE ?= kiki
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
BUILT := target/native/release/kiki$(SUFFIX)

.PHONY: all
all:
	RUSTFLAGS="-C target-cpu=native" cargo build --release --locked --package kiki --bin kiki --target-dir target/native
	cp $(BUILT) $(EXE:$(SUFFIX)=)$(SUFFIX)
