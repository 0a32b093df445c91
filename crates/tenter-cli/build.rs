//! Has the linker put the functions of a hook call beside each other in the release image: `hot.ld`, written by
//! `cargo xtask order`. `TENTER_UNORDERED=1` builds without it, for linkers that take no linker scripts.

fn main() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/hot.ld");
    println!("cargo::rerun-if-changed={script}");
    println!("cargo::rerun-if-env-changed=TENTER_UNORDERED");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    // Elsewhere linkers have other scripts, and without optimisation there is no call to speed up.
    if is("CARGO_CFG_TARGET_OS", "linux")
        && is("PROFILE", "release")
        && !is("TENTER_UNORDERED", "1")
    {
        println!("cargo::rustc-link-arg-bin=tenter=-Wl,-T,{script}");
    }
}
