//! The engine of this package's tests, see `kiki_mock`.

fn main() -> std::process::ExitCode {
    kiki_mock::player::main()
}
