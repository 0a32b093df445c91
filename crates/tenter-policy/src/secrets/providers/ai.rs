//! Tokens of models.

use super::{Token, random, token};

pub(super) const TOKENS: [Token; 28] = [
    random("openai-key", "OpenAI project key", "sk-proj-{slug 24-220}"),
    random("openai-key", "OpenAI service account key", "sk-svcacct-{slug 24-220}"),
    random("openai-key", "OpenAI admin key", "sk-admin-{slug 24-220}"),
    random("openai-key", "OpenAI key", "sk-None-{slug 24-220}"),
    random("openai-key", "OpenAI key", "sk-{alnum 32-64}"),
    random("anthropic-key", "Anthropic key", "sk-ant-{slug 24-160}"),
    token("openrouter-key", "OpenRouter key", "sk-or-v1-{hex 64}"),
    token("langfuse-key", "Langfuse secret key", "sk-lf-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}"),
    token("langsmith-key", "LangSmith key", "lsv2_pt_{hex 32}_{hex 10}"),
    token("langsmith-key", "LangSmith key", "lsv2_sk_{hex 32}_{hex 10}"),
    random("huggingface-token", "Hugging Face token", "hf_{alnum 30-40}"),
    random("huggingface-token", "Hugging Face organization token", "api_org_{alnum 30-40}"),
    token("replicate-token", "Replicate token", "r8_{alnum 37-40}"),
    token("groq-key", "Groq key", "gsk_{alnum 48-56}"),
    token("perplexity-key", "Perplexity key", "pplx-{alnum 40-56}"),
    token("xai-key", "xAI key", "xai-{alnum 70-90}"),
    random("fireworks-key", "Fireworks key", "fw_{alnum 22-24}"),
    token("together-key", "Together key", "tgp_v1_{slug 40-48}"),
    token("cerebras-key", "Cerebras key", "csk-{lower 48}"),
    token("nvidia-key", "NVIDIA key", "nvapi-{slug 60-72}"),
    random("tavily-key", "Tavily key", "tvly-{slug 28-60}"),
    token("firecrawl-key", "Firecrawl key", "fc-{hex 32}"),
    random("anyscale-key", "Anyscale key", "esecret_{lower 24-40}"),
    token("elevenlabs-key", "ElevenLabs key", "sk_{hex 48}"),
    random("voyage-key", "Voyage key", "pa-{slug 43}"),
    token("jina-key", "Jina key", "jina_{alnum 56-66}"),
    token("pinecone-key", "Pinecone key", "pcsk_{word 50-90}"),
    token("wandb-key", "Weights & Biases key", "wandb_v1_{word 60-100}"),
];
