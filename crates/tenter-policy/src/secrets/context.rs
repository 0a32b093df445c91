//! Secrets without a distinctive form, recognised by the name beside them.

use super::shape;
use super::strings::{Strings, size};

/// A form that is a secret only beside a certain name.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// Part of the name, in lower case without separators.
    pub(super) word: &'static str,
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) shape: &'static str,
    /// Word and shape, for tables.
    pub(super) shown: &'static str,
}

macro_rules! context {
    ($word:literal, $id:literal, $title:literal, uuid) => {
        context!($word, $id, $title, "{Hex 8}-{Hex 4}-{Hex 4}-{Hex 4}-{Hex 12}")
    };
    ($word:literal, $id:literal, $title:literal, $shape:literal) => {
        Context {
            word: $word,
            id: $id,
            title: $title,
            shape: $shape,
            shown: concat!($word, " = ", $shape),
        }
    };
}

pub(super) const CONTEXTS: &[Context] = &[
    context!("awssecret", "aws-secret-key", "AWS secret key", "{base64 40}"),
    context!("secretaccesskey", "aws-secret-key", "AWS secret access key", "{base64 40}"),
    context!("heroku", "heroku-key", "Heroku API key", uuid),
    context!("datadog", "datadog-key", "Datadog key", "{hex 32-40}"),
    context!("ddapi", "datadog-key", "Datadog API key", "{hex 32}"),
    context!("ddapp", "datadog-key", "Datadog application key", "{hex 40}"),
    context!("cloudflare", "cloudflare-key", "Cloudflare key", "{slug 37-40}"),
    context!("cfapi", "cloudflare-key", "Cloudflare key", "{slug 37-40}"),
    context!("twilio", "twilio-key", "Twilio auth token", "{hex 32}"),
    context!("algolia", "algolia-key", "Algolia key", "{hex 32}"),
    context!("mailgun", "mailgun-key", "Mailgun key", "{hex 32}-{hex 8}-{hex 8}"),
    context!("mailchimp", "mailchimp-key", "Mailchimp key", "{hex 32}"),
    context!("postmark", "postmark-token", "Postmark token", uuid),
    context!("codecov", "codecov-token", "Codecov token", uuid),
    context!("snyk", "snyk-token", "Snyk token", uuid),
    context!("hubspot", "hubspot-token", "HubSpot key", uuid),
    context!("hapikey", "hubspot-token", "HubSpot key", uuid),
    context!("kucoin", "kucoin-key", "KuCoin secret", uuid),
    context!("messagebird", "messagebird-key", "MessageBird key", "{alnum 25}"),
    context!("sendbird", "sendbird-token", "Sendbird token", "{hex 40}"),
    context!("dockerhub", "docker-token", "Docker Hub token", uuid),
    context!("squarespace", "squarespace-token", "Squarespace token", uuid),
    context!("pinecone", "pinecone-key", "Pinecone key", uuid),
    context!("opsgenie", "opsgenie-key", "Opsgenie key", uuid),
    context!("railway", "railway-token", "Railway token", uuid),
    context!("scaleway", "scaleway-key", "Scaleway secret key", uuid),
    context!("scwsecret", "scaleway-key", "Scaleway secret key", uuid),
    context!("splunk", "splunk-token", "Splunk collector token", uuid),
    context!("loggly", "loggly-token", "Loggly token", uuid),
    context!("consul", "consul-token", "Consul token", uuid),
    context!("nomad", "nomad-token", "Nomad token", uuid),
    context!("npm", "npm-token", "npm token", uuid),
    context!("vault", "vault-token", "Vault token", uuid),
    context!("unkey", "unkey-key", "Unkey key", uuid),
    context!("mistral", "mistral-key", "Mistral key", "{alnum 32}"),
    context!("cohere", "cohere-key", "Cohere key", "{alnum 40}"),
    context!("deepgram", "deepgram-key", "Deepgram key", "{hex 40}"),
    context!("assemblyai", "assemblyai-key", "AssemblyAI key", "{hex 32}"),
    context!("wandb", "wandb-key", "Weights & Biases key", "{hex 40}"),
    context!("newrelic", "newrelic-key", "New Relic key", "{alnum 40-64}"),
    context!("rollbar", "rollbar-token", "Rollbar token", "{hex 32}"),
    context!("bugsnag", "bugsnag-key", "Bugsnag key", "{hex 32}"),
    context!("segment", "segment-key", "Segment key", "{alnum 32}"),
    context!("amplitude", "amplitude-key", "Amplitude key", "{hex 32}"),
    context!("mixpanel", "mixpanel-secret", "Mixpanel secret", "{hex 32}"),
    context!("pagerduty", "pagerduty-key", "PagerDuty key", "{slug 20-32}"),
    context!("zendesk", "zendesk-token", "Zendesk token", "{alnum 40}"),
    context!("sentry", "sentry-token", "Sentry token", "{hex 64}"),
    context!("sonar", "sonar-token", "SonarQube token", "{hex 40}"),
    context!("facebook", "facebook-secret", "Facebook app secret", "{hex 32}"),
    context!("linkedin", "linkedin-secret", "LinkedIn secret", "{alnum 16}"),
    context!("twitter", "twitter-key", "Twitter key", "{alnum 25-50}"),
    context!("twitter", "twitter-key", "Twitter bearer token", "AAAAAAAAAA{token 80+}"),
    context!("twitter", "twitter-key", "Twitter access token", "{digit 8-20}-{alnum 30-45}"),
    context!("twitch", "twitch-token", "Twitch token", "{lower 30}"),
    context!("spotify", "spotify-secret", "Spotify secret", "{hex 32}"),
    context!("dropbox", "dropbox-secret", "Dropbox secret", "{lower 15}"),
    context!("dropbox", "dropbox-token", "Dropbox token", "sl.{slug 100+}"),
    context!("discord", "discord-token", "Discord secret", "{slug 32}"),
    context!("discord", "discord-token", "Discord token", "{slug 23-28}.{slug 6}.{slug 27-40}"),
    context!("okta", "okta-token", "Okta token", "00{slug 40}"),
    context!("asana", "asana-token", "Asana token", "{digit 1}/{digit 13-18}:{hex 32}"),
    context!("asana", "asana-token", "Asana secret", "{hex 32}"),
    context!("bitbucket", "bitbucket-secret", "Bitbucket secret", "{alnum 32}"),
    context!("gitea", "gitea-token", "Gitea token", "{hex 40}"),
    context!("gitter", "gitter-token", "Gitter token", "{hex 40}"),
    context!("jenkins", "jenkins-token", "Jenkins token", "{hex 32-34}"),
    context!("circle", "circleci-token", "CircleCI token", "{hex 40}"),
    context!("travis", "travis-token", "Travis CI token", "{slug 22}"),
    context!("drone", "drone-token", "Drone token", "{alnum 32}"),
    context!("vercel", "vercel-token", "Vercel token", "{alnum 24}"),
    context!("netlify", "netlify-token", "Netlify token", "{slug 40-46}"),
    context!("fastly", "fastly-token", "Fastly token", "{slug 32}"),
    context!("linode", "linode-token", "Linode token", "{hex 64}"),
    context!("hcloud", "hetzner-token", "Hetzner token", "{alnum 64}"),
    context!("hetzner", "hetzner-token", "Hetzner token", "{alnum 64}"),
    context!("vultr", "vultr-key", "Vultr key", "{UPPER 36}"),
    context!("coinbase", "coinbase-key", "Coinbase key", "{alnum 32-64}"),
    context!("kraken", "kraken-key", "Kraken key", "{base64 80-90}"),
    context!("binance", "binance-key", "Binance key", "{alnum 64}"),
    context!("finnhub", "finnhub-key", "Finnhub key", "{lower 20}"),
    context!("etsy", "etsy-key", "Etsy key", "{lower 24}"),
    context!("plaid", "plaid-secret", "Plaid secret", "{hex 30}"),
    context!("airtable", "airtable-key", "Airtable key", "key{alnum 14}"),
    context!("contentful", "contentful-token", "Contentful token", "{slug 43}"),
    context!("intercom", "intercom-token", "Intercom token", "{base64 60}"),
    context!("mattermost", "mattermost-token", "Mattermost token", "{lower 26}"),
    context!("confluent", "confluent-secret", "Confluent secret", "{base64 64}"),
    context!("jfrog", "artifactory-key", "Artifactory key", "{alnum 64-73}"),
    context!("artifactory", "artifactory-key", "Artifactory key", "{alnum 64-73}"),
    context!("rapidapi", "rapidapi-key", "RapidAPI key", "{alnum 50}"),
    context!("openweather", "openweather-key", "OpenWeather key", "{hex 32}"),
    context!("newsapi", "newsapi-key", "News API key", "{hex 32}"),
    context!("trello", "trello-key", "Trello key", "{hex 32-64}"),
    context!("ngrok", "ngrok-token", "ngrok token", "{alnum 27}_{alnum 21}"),
    context!("atlassian", "atlassian-token", "Atlassian token", "{alnum 24}"),
    context!("jira", "atlassian-token", "Atlassian token", "{alnum 24}"),
    context!("github", "github-secret", "GitHub secret", "{hex 40}"),
    context!("telegram", "telegram-token", "Telegram bot token", "{digit 6-12}:{slug 35}"),
    context!("yandex", "yandex-token", "Yandex token", "{token 39-60}"),
    context!("ibm", "ibm-key", "IBM Cloud key", "{slug 44}"),
    context!("elastic", "elastic-key", "Elastic key", "{base64 40-80}"),
    context!("honeycomb", "honeycomb-key", "Honeycomb key", "{alnum 22-32}"),
    context!("launchdarkly", "launchdarkly-key", "LaunchDarkly key", uuid),
    context!("shodan", "shodan-key", "Shodan key", "{alnum 32}"),
    context!("virustotal", "virustotal-key", "VirusTotal key", "{hex 64}"),
];

const TEXTS: [&str; CONTEXTS.len() * 4] = texts();
static TEXT: Strings<{ TEXTS.len() }, { size(&TEXTS) }> = Strings::new(&TEXTS);

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn texts() -> [&'static str; CONTEXTS.len() * 4] {
    let mut texts = [""; CONTEXTS.len() * 4];
    let mut at = 0;
    while at < CONTEXTS.len() {
        texts[at * 4] = CONTEXTS[at].word;
        texts[at * 4 + 1] = CONTEXTS[at].shape;
        texts[at * 4 + 2] = CONTEXTS[at].id;
        texts[at * 4 + 3] = CONTEXTS[at].title;
        at += 1;
    }
    texts
}

/// Whether a name contains this word.
fn holds(name: &[u8], word: &[u8]) -> bool {
    let Some(first) = word.first() else { return false };
    let mut rest = name;
    while let Some(at) = rest.iter().position(|byte| byte == first) {
        rest = rest.get(at..).unwrap_or_default();
        if rest.starts_with(word) {
            return true;
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    false
}

/// Id and title of the secret, by squashed name and value.
pub(super) fn owner(name: &[u8], value: &[u8]) -> Option<(&'static str, &'static str)> {
    (0..CONTEXTS.len()).map(|index| index.saturating_mul(4)).find_map(|at| {
        let word = TEXT.bytes(at);
        let shaped = holds(name, word) && shape::is(TEXT.bytes(at.saturating_add(1)), value);
        shaped.then(|| (TEXT.get(at.saturating_add(2)), TEXT.get(at.saturating_add(3))))
    })
}
