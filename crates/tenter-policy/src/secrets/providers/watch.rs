//! Tokens of monitoring services.

use super::{Token, token, weak};

pub(super) const TOKENS: &[Token] = &[
    token("newrelic-key", "New Relic user key", "NRAK-{alnum 27}"),
    token("newrelic-key", "New Relic insert key", "NRII-{slug 32}"),
    token("newrelic-key", "New Relic browser key", "NRJS-{hex 19}"),
    token("newrelic-key", "New Relic license key", "{hex 36}NRAL"),
    token("grafana-token", "Grafana service account token", "glsa_{alnum 32}_{Hex 8}"),
    token("grafana-token", "Grafana Cloud token", "glc_{base64 32-400}"),
    token("grafana-token", "Grafana key", "eyJrIjoi{base64 40-400}"),
    token("sentry-token", "Sentry organization token", "sntrys_{token 40-400}"),
    token("sentry-token", "Sentry user token", "sntryu_{hex 64}"),
    token("sentry-token", "Sentry integration token", "sntryi_{hex 64}"),
    token("dynatrace-token", "Dynatrace token", "dt0c01.{UPPER 24}.{UPPER 64}"),
    token("dynatrace-token", "Dynatrace token", "dt0s16.{UPPER 24}.{UPPER 64}"),
    token("honeycomb-key", "Honeycomb key", "hcaik_{alnum 50-64}"),
    token("axiom-token", "Axiom token", "xaat-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}"),
    token("axiom-token", "Axiom token", "xapt-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}"),
    token("posthog-key", "PostHog personal key", "phx_{alnum 40-60}"),
    token("definednet-token", "Defined Networking token", "dnkey-{slug 60-100}"),
    token("maxmind-key", "MaxMind license key", "{alnum 6}_{alnum 29}_mmk"),
    weak("json-web-token", "JSON web token", "eyJ{slug 10+}.eyJ{slug 10+}.{slug 10+}"),
    token(
        "encoded-private-key",
        "private key in base64",
        "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt{base64 60+}",
    ),
    token(
        "encoded-private-key",
        "private key in base64",
        "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0t{base64 60+}",
    ),
    token(
        "encoded-private-key",
        "private key in base64",
        "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0t{base64 60+}",
    ),
    token(
        "encoded-private-key",
        "private key in base64",
        "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ{base64 60+}",
    ),
    token("wireguard-key", "WireGuard private key", "PrivateKey = ^{base64 43-44}"),
];
