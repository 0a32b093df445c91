//! Tokens of payment and shipping.

use super::{Token, random, token, weak};

pub(super) const TOKENS: [Token; 32] = [
    token("stripe-key", "Stripe secret key", "sk_live_{alnum 16-250}"),
    token("stripe-key", "Stripe restricted key", "rk_live_{alnum 16-250}"),
    token("stripe-key", "Stripe secret key", "sk_prod_{alnum 16-250}"),
    weak("stripe-key", "Stripe test key", "sk_test_{alnum 16-250}"),
    weak("stripe-key", "Stripe restricted test key", "rk_test_{alnum 16-250}"),
    token("stripe-webhook-secret", "Stripe webhook secret", "whsec_{base64 24-64}"),
    token("square-token", "Square token", "sq0atp-{slug 22}"),
    token("square-token", "Square secret", "sq0csp-{slug 43}"),
    random("square-token", "Square token", "EAAA{slug 56-64}"),
    token(
        "paypal-token",
        "PayPal or Braintree token",
        "access_token$production${lower 16}${hex 32}",
    ),
    weak("paypal-token", "Braintree sandbox token", "access_token$sandbox${lower 16}${hex 32}"),
    token(
        "plaid-token",
        "Plaid token",
        "access-production-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}",
    ),
    token(
        "plaid-token",
        "Plaid token",
        "access-development-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}",
    ),
    weak(
        "plaid-token",
        "Plaid sandbox token",
        "access-sandbox-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}",
    ),
    token("razorpay-key", "Razorpay key", "rzp_live_{alnum 14}"),
    token("flutterwave-key", "Flutterwave key", "FLWSECK-{Hex 32}-X"),
    token("flutterwave-key", "Flutterwave key", "FLWSECK-{alnum 32}-{alnum 11}vt-X"),
    weak("flutterwave-key", "Flutterwave test key", "FLWSECK_TEST-{Hex 32}-X"),
    random("adyen-key", "Adyen key", "AQEyhm{token 60-260}"),
    random("adyen-key", "Adyen key", "AQEmhm{token 60-260}"),
    token("paddle-key", "Paddle key", "pdl_live_apikey_{word 40-80}"),
    weak("paddle-key", "Paddle sandbox key", "pdl_sdbx_apikey_{word 40-80}"),
    random("payment-key", "payment provider's live key", "live_{slug 28-50}"),
    token("shippo-token", "Shippo token", "shippo_live_{Hex 40}"),
    weak("shippo-token", "Shippo test token", "shippo_test_{Hex 40}"),
    token("easypost-key", "EasyPost key", "EZAK{alnum 54}"),
    weak("easypost-key", "EasyPost test key", "EZTK{alnum 54}"),
    token("duffel-token", "Duffel token", "duffel_live_{slug 43}"),
    weak("duffel-token", "Duffel test token", "duffel_test_{slug 43}"),
    token("stytch-secret", "Stytch secret", "secret-live-{slug 36}"),
    weak("stytch-secret", "Stytch test secret", "secret-test-{slug 36}"),
    token("mercury-token", "Mercury token", "mercury_production_{word 30-80}"),
];
