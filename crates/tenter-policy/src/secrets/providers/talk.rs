//! Tokens of chat and mail.

use super::{Token, random, token, weak};

pub(super) const TOKENS: [Token; 43] = [
    token("slack-token", "Slack bot token", "xoxb-{digit 8-14}-{slug 14-90}"),
    token("slack-token", "Slack user token", "xoxp-{digit 8-14}-{slug 20-120}"),
    token("slack-token", "Slack configuration token", "xoxe.xoxp-{digit 1}-{alnum 100-200}"),
    token("slack-token", "Slack configuration token", "xoxe.xoxb-{digit 1}-{alnum 100-200}"),
    token("slack-token", "Slack refresh token", "xoxe-{digit 1}-{alnum 100-200}"),
    token("slack-token", "Slack workspace token", "xoxa-{slug 20-120}"),
    token("slack-token", "Slack refresh token", "xoxr-{slug 20-120}"),
    token("slack-token", "Slack session token", "xoxs-{slug 20-120}"),
    token("slack-token", "Slack token", "xoxo-{slug 20-120}"),
    token("slack-token", "Slack browser token", "xoxc-{slug 20-120}"),
    token("slack-token", "Slack browser cookie", "xoxd-{token 20-300}"),
    token(
        "slack-token",
        "Slack app token",
        "xapp-{digit 1}-{UPPER 9-12}-{digit 10-14}-{alnum 32-64}",
    ),
    token(
        "slack-webhook",
        "Slack webhook",
        "hooks.slack.com/services/T{UPPER 6-12}/B{UPPER 6-12}/{alnum 18-28}",
    ),
    token(
        "slack-webhook",
        "Slack webhook",
        "hooks.slack.com/workflows/T{UPPER 6-12}/A{UPPER 6-12}/{digit 12-20}/{alnum 18-28}",
    ),
    token(
        "slack-webhook",
        "Slack webhook",
        "hooks.slack.com/triggers/T{UPPER 6-12}/{digit 10-20}/{alnum 18-40}",
    ),
    token("discord-token", "Discord token", "MT{slug 21-26}.{slug 6}.{slug 27-40}"),
    token("discord-token", "Discord token", "Mj{slug 21-26}.{slug 6}.{slug 27-40}"),
    token("discord-token", "Discord token", "Mz{slug 21-26}.{slug 6}.{slug 27-40}"),
    token("discord-token", "Discord token", "Nj{slug 21-26}.{slug 6}.{slug 27-40}"),
    token("discord-token", "Discord token", "Nz{slug 21-26}.{slug 6}.{slug 27-40}"),
    // Other ids of accounts: decimal digits in base64, told by the third letter to the fifth.
    token(
        "discord-token",
        "Discord token",
        "{Mno 1}{alnum 1}{cgk 1}{xyz 1}{Mno 1}{slug 18-23}.{slug 6}.{slug 27-40}",
    ),
    token("discord-token", "Discord token", "mfa.{slug 80-90}"),
    token(
        "discord-webhook",
        "Discord webhook",
        "discord.com/api/webhooks/{digit 17-20}/{slug 60-80}",
    ),
    token(
        "discord-webhook",
        "Discord webhook",
        "discordapp.com/api/webhooks/{digit 17-20}/{slug 60-80}",
    ),
    token(
        "teams-webhook",
        "Teams webhook",
        "webhook.office.com/webhookb2/{slug 36}@{slug 36}/IncomingWebhook/{alnum 32}",
    ),
    weak(
        "zapier-webhook",
        "Zapier webhook",
        "hooks.zapier.com/hooks/catch/{digit 4-10}/{alnum 6-10}",
    ),
    token(
        "feishu-webhook",
        "Feishu webhook",
        "open.feishu.cn/open-apis/bot/v2/hook/{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}",
    ),
    token(
        "wecom-webhook",
        "WeCom webhook",
        "qyapi.weixin.qq.com/cgi-bin/webhook/send?key={hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}",
    ),
    token("telegram-token", "Telegram bot token", "/bot{digit 8-10}:AA{slug 33}"),
    token("telegram-token", "Telegram bot token", "{digit 8}:AA{slug 33}"),
    token("telegram-token", "Telegram bot token", "{digit 9}:AA{slug 33}"),
    token("telegram-token", "Telegram bot token", "{digit 10}:AA{slug 33}"),
    token("matrix-token", "Matrix token", "syt_{alnum 4-60}_{alnum 20}_{alnum 6}"),
    token("twilio-key", "Twilio key", "SK{hex 32}"),
    token("telnyx-key", "Telnyx key", "KEY0{Hex 31}_{alnum 22}"),
    token("sendgrid-key", "SendGrid key", "SG.{slug 16-32}.{slug 30-64}"),
    token("mailgun-key", "Mailgun key", "key-{hex 32}"),
    token("mailchimp-key", "Mailchimp key", "{hex 32}-us{digit 1-2}"),
    token("brevo-key", "Brevo key", "xkeysib-{hex 64}-{alnum 16}"),
    token("brevo-key", "Brevo SMTP key", "xsmtpsib-{hex 64}-{alnum 16}"),
    token("mailersend-key", "MailerSend key", "mlsn.{hex 64}"),
    random("resend-key", "Resend key", "re_{alnum 6-10}_{alnum 20-30}"),
    token("courier-key", "Courier key", "pk_prod_{UPPER 28}"),
];
