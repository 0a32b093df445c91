//! Well-known registries and repositories, and parsing of addresses.

/// Registries, mirrors and vendors' package repositories in which nobody can publish under another's name.
const KNOWN: &str = "\
    api.nuget.org apt.grafana.com apt.kitware.com apt.llvm.org apt.postgresql.org \
    apt.releases.hashicorp.com archive.ubuntu.com artifacts.elastic.co chocolatey.org \
    cli.github.com community.chocolatey.org conda.anaconda.org conda-forge.org deb.debian.org \
    deb.nodesource.com developer.download.nvidia.com dl-cdn.alpinelinux.org dl.fedoraproject.org \
    dl.flathub.org dl.google.com dl.yarnpkg.com download.docker.com download.postgresql.org \
    download.pytorch.org files.pythonhosted.org flathub.org gems.ruby-china.com goproxy.cn \
    goproxy.io index.crates.io jsr.io mirror.baidu.com mirrors.aliyun.com \
    mirrors.cloud.tencent.com mirrors.tuna.tsinghua.edu.cn mirrors.ustc.edu.cn nginx.org \
    npm.jsr.io npm.pkg.github.com nvidia.github.io packages.cloud.google.com \
    packages.confluent.io packages.microsoft.com packagist.org pkg.jenkins.io pkgs.k8s.io \
    proxy.golang.org pypi.doubanio.com pypi.mirrors.ustc.edu.cn pypi.ngc.nvidia.com \
    pypi.nvidia.com pypi.org pypi.python.org pypi.tuna.tsinghua.edu.cn registry.npmjs.com \
    registry.npmjs.org registry.npmmirror.com registry.yarnpkg.com repo.anaconda.com \
    repo.huaweicloud.com repo.maven.apache.org repo.mongodb.org repo.mysql.com \
    repo.packagist.org rpm.nodesource.com rpm.releases.hashicorp.com rpms.remirepo.net \
    rsproxy.cn rubygems.org rubygems.pkg.github.com security.ubuntu.com static.crates.io \
    sum.golang.org test.pypi.org www.nuget.org";

/// Owners of well-known Homebrew taps and Launchpad archives.
const OWNERS: &str = "\
    adoptopenjdk anchore ansible aquasecurity argoproj aws azure bazelbuild charmbracelet \
    clickhouse cloudflare codecrafters-io confluentinc databricks deadsnakes derailed dotnet \
    elastic facebook fish-shell fluxcd git-core github golangci goreleaser grafana \
    graphics-drivers hashicorp helm heroku homebrew jetbrains kubernetes-sigs localstack \
    microsoft minio mongodb mozillateam neovim-ppa obsproject ondrej openjdk-r oven-sh planetscale \
    pulumi redis-stack railwayapp sass snyk sourcegraph speakeasy-api stripe supabase terraform-linters \
    tilt-dev ubuntu-toolchain-r withgraphite xo yarnpkg";

/// Hosts of Go modules, besides those in the list of modules.
const MODULES: &str = "\
    bitbucket.org buf.build cel.dev charm.land codeberg.org cuelang.org dagger.io deps.dev \
    gioui.org git.sr.ht gitlab.com goa.design gobot.io gocv.io helm.sh howett.net knative.dev \
    launchpad.net layeh.com libvirt.org lukechampine.com maunium.net mellium.im nhooyr.io \
    oras.land pault.ag rsc.io storj.io tailscale.com upspin.io vitess.io zgo.at";

/// Whether a host is known for Go modules.
pub(super) fn has_modules(host: &str) -> bool {
    let listed = super::names::Ecosystem::Go.known().split_ascii_whitespace();
    lists(MODULES, host)
        || listed.filter_map(|path| path.split('/').next()).any(|known| known == host)
}

fn lists(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// Host and path of an address, without scheme, login and port; `None` if it is not an address.
pub(super) fn parts(address: &str) -> Option<(&str, &str)> {
    let (_, rest) = address.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end)?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or(inner),
        None => host.split(':').next().unwrap_or(host),
    };
    (!host.is_empty()).then_some((host, path))
}

/// Whether the host is this machine.
pub(super) fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "::1" | "0.0.0.0" | "host.docker.internal")
        || host.starts_with("127.")
        || host.rsplit_once('.').is_some_and(|(_, last)| last == "localhost")
}

pub(super) fn is_known(host: &str) -> bool {
    lists(KNOWN, host)
}

/// The host, if taking packages from this address is suspicious.
pub(super) fn foreign<'a>(address: &'a str, registries: &[String]) -> Option<&'a str> {
    // A registry name or a folder is configured already.
    let (host, path) = parts(address)?;
    // A variable: the registry was chosen elsewhere.
    if is_local(host) || host.contains('$') {
        return None;
    }
    let allowed = registries.iter().any(|pattern| crate::pattern::matches(pattern, host));
    let index_of_crates = host == "github.com" && path.starts_with("/rust-lang/crates.io-index");
    let known = allowed || is_known(host) || index_of_crates;
    (!known || (!allowed && address.starts_with("http://"))).then_some(host)
}

/// The owner, if a tap, archive or repository belongs to an unknown one.
pub(super) fn foreign_repository<'a>(place: &'a str, registries: &[String]) -> Option<&'a str> {
    if place.contains("://") {
        let at = place.find("http").unwrap_or(0);
        let address = place.get(at..).unwrap_or(place).split(' ').next().unwrap_or(place);
        return foreign(address, registries);
    }
    let name = place.strip_prefix("ppa:").unwrap_or(place);
    let (owner, _) = name.split_once('/')?;
    (!lists(OWNERS, owner) && !owner.contains('$')).then_some(place)
}

/// `github.com/me/x` for `git+https://github.com/me/x.git#main`, `github:me/x` and `me/x`.
pub(super) fn place(address: &str) -> String {
    let address = address.split_once(" @ ").map_or(address, |(_, address)| address).trim();
    let address = address.strip_prefix("git+").unwrap_or(address);
    let plain = |host: &str, path: &str| {
        let path = path.split(['#', '?']).next().unwrap_or(path);
        let path = path.split_once('@').map_or(path, |(path, _)| path);
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        if path.is_empty() { host.to_owned() } else { format!("{host}/{path}") }
    };
    if let Some((host, path)) = parts(address) {
        return plain(host, path);
    }
    if let Some((host, path)) = address.strip_prefix("git@").and_then(|rest| rest.split_once(':')) {
        return plain(host, path);
    }
    match address.split_once(':') {
        Some(("gitlab", path)) => plain("gitlab.com", path),
        Some(("bitbucket", path)) => plain("bitbucket.org", path),
        Some(("gist", path)) => plain("gist.github.com", path),
        Some((_, path)) => plain("github.com", path),
        None => plain("github.com", address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let cases = [
            ("git+https://github.com/me/x.git#main", "github.com/me/x"),
            ("git+ssh://git@example.com:22/me/x.git@v1", "example.com/me/x"),
            ("https://u:p@example.com/x.tgz?y", "example.com/x.tgz"),
            ("git@gitlab.com:me/x.git", "gitlab.com/me/x"),
            ("github:me/x", "github.com/me/x"),
            ("gitlab:me/x", "gitlab.com/me/x"),
            ("me/x#v2", "github.com/me/x"),
            ("x @ https://example.com/x.whl", "example.com/x.whl"),
            ("https://[::1]:80/x", "::1/x"),
        ];
        for (address, expected) in cases {
            assert_eq!(place(address), expected, "{address}");
        }
    }

    #[test]
    fn well_known_registries_are_known() {
        let none: &[String] = &[];
        assert_eq!(foreign("https://registry.npmjs.org/", none), None);
        assert_eq!(foreign("http://localhost:4873", none), None);
        assert_eq!(foreign("./wheels", none), None);
        assert_eq!(foreign("corp", none), None);
        assert_eq!(foreign("http://pypi.org/simple", none), Some("pypi.org"));
        assert_eq!(foreign("https://pypi.org.evil.example/s", none), Some("pypi.org.evil.example"));
        assert_eq!(foreign("https://pypi.org@evil.example/s", none), Some("evil.example"));
        let own = &["*.corp.example".to_owned()];
        assert_eq!(foreign("http://npm.corp.example/", own), None);
        assert_eq!(foreign_repository("ppa:deadsnakes/ppa", none), None);
        assert_eq!(foreign_repository("ppa:stranger/ppa", none), Some("ppa:stranger/ppa"));
        assert_eq!(foreign_repository("universe", none), None);
        assert_eq!(
            foreign_repository("deb [arch=amd64] https://evil.example/apt stable main", none),
            Some("evil.example")
        );
    }
}
