import type { Model } from '../../ports/model.ts'

/** What a provider's API asks of a prompt. */
export interface WireRules {
  /**
   * Name of the provider as models are named with it. Reasoning without a signature goes back only to the provider that
   * wrote it.
   */
  readonly provider: string
  /**
   * Keys of `providerOptions` that this API reads; data of other providers is left out.
   *
   * @default all data goes along: a host's own model knows what it wrote
   */
  readonly dataKeys?: readonly string[]
  /**
   * Which reasoning goes back. `signed`: parts that hold data of the provider (Anthropic, Gemini, OpenAI Responses, OpenRouter).
   * `latest`: text without a signature, for the answers since the last question (DeepSeek and Kimi require it in a tool loop and
   * refuse or ignore it in older turns). `all`: every part.
   */
  readonly reasoning: 'signed' | 'latest' | 'all'
  /** Whether blank text with data of the provider goes back: Gemini keeps signatures there, Anthropic refuses it. */
  readonly keepsBlankText: boolean
  /**
   * Media types of files that the API accepts as such; `image/*` stands for all pictures. Other text goes along as text.
   *
   * @default every type is passed on
   */
  readonly files?: readonly string[]
  /**
   * Those of them that may stand in the result of a tool. Others follow in a message of the user's.
   *
   * @default every type is passed on
   */
  readonly toolFiles?: readonly string[]
  /** Those that may stand in an answer of the model: pictures that it made. @default none */
  readonly answerFiles?: readonly string[]
  /**
   * Whose hosted tools may be in the history of a call that does not offer them. OpenAI wants their items back, because the
   * reasoning before them belongs to what follows too.
   *
   * @default nobody's: the calls are told in words
   */
  readonly knownHosted?: string
  /** Whether an answer must stand between tool results and the next question, as chat templates of Mistral require. */
  readonly answersBeforeUser: boolean
  /**
   * When the provider is asked to hold its model to the schema of an answer. `without-tools`: many servers that speak like
   * OpenAI reject both together (llama.cpp), or let the model call no tool any more (vLLM, Ollama). `never`: what a host's own
   * model makes of it is not known.
   */
  readonly answerSchema: 'always' | 'without-tools' | 'never'
  /**
   * How prompts are cached: by marks in the prompt, or by a key that leads equal prefixes to one machine.
   *
   * @default as the provider does it without being asked
   */
  readonly cache?: 'anthropic' | 'openrouter' | 'openai'
  /** Whether the package parses the arguments of calls: then integers beyond 2^53 have been rounded. @default false */
  readonly roundsIntegers?: boolean
  /** Whether the API returns the model's thoughts only if a call asks for them: Gemini. Other SDKs ask with `reasoning`. */
  readonly asksForThoughts?: boolean
}

/** Pictures that every provider with pictures reads. */
const webPictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Chat Completions: which of them a server's model reads, only that server knows. */
const chatFiles = ['image/*', 'application/pdf', 'audio/wav', 'audio/mpeg']

/** Rules of each wire protocol; `provider` and `dataKeys` come from the provider that uses it. */
const protocols = {
  'openai-responses': {
    dataKeys: ['openai'],
    reasoning: 'signed',
    knownHosted: 'openai',
    keepsBlankText: false,
    answersBeforeUser: false,
    answerSchema: 'always',
    files: [...webPictures, 'application/pdf'],
    toolFiles: [...webPictures, 'application/pdf'],
    cache: 'openai',
  },
  'openai-chat': {
    reasoning: 'latest',
    keepsBlankText: false,
    answersBeforeUser: true,
    answerSchema: 'without-tools',
    files: chatFiles,
    toolFiles: [],
  },
  openrouter: {
    reasoning: 'signed',
    keepsBlankText: false,
    answersBeforeUser: true,
    answerSchema: 'without-tools',
    files: [...chatFiles, 'video/*'],
    toolFiles: [],
  },
  anthropic: {
    dataKeys: ['anthropic'],
    reasoning: 'signed',
    keepsBlankText: false,
    answersBeforeUser: false,
    answerSchema: 'always',
    files: [...webPictures, 'application/pdf', 'text/plain'],
    toolFiles: [...webPictures, 'application/pdf'],
    cache: 'anthropic',
  },
  google: {
    dataKeys: ['google', 'vertex'],
    reasoning: 'signed',
    keepsBlankText: true,
    answersBeforeUser: false,
    answerSchema: 'always',
    files: [
      'image/png',
      'image/jpeg',
      'image/webp',
      'image/heic',
      'image/heif',
      'application/pdf',
      'audio/*',
      'video/*',
      'text/*',
    ],
    toolFiles: [],
    answerFiles: ['image/*'],
    asksForThoughts: true,
  },
} as const satisfies Record<string, Omit<WireRules, 'provider'>>

/** A wire protocol that hosted and configured providers speak. */
type WireProtocol = keyof typeof protocols

/** Rules of a provider that speaks a known protocol. */
export function wireRules(protocol: WireProtocol, provider: string): WireRules {
  const rules: Omit<WireRules, 'provider'> = protocols[protocol]
  return { dataKeys: [provider, 'google'], ...rules, provider }
}

/** Rules of a Gemini model: since Gemini 3, results of tools may hold files. */
export function geminiRules(modelId: string): WireRules {
  const rules = wireRules('google', 'google')
  if (!modelId.includes('gemini-3')) return rules
  return { ...rules, toolFiles: ['image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain'] }
}

/** How the package that made a model caches prompts, by how the model names its provider: `anthropic.messages`. */
function cacheOfPackage(own: string): Pick<WireRules, 'cache'> {
  if (/(?:^|\.)anthropic\./.test(own)) return { cache: 'anthropic' }
  return /^openai\.(?:responses|chat)$/.test(own) ? { cache: 'openai' } : {}
}

/**
 * Rules of a model that the host registered: nothing of its own data is left out.
 *
 * @param own How the model names its provider. Packages of Chat Completions (`mistral.chat`) would write a file in the
 * result of a tool as base64 text.
 */
export const hostRules = (provider: string, own = provider): WireRules => ({
  provider,
  ...(own.endsWith('.chat') && { toolFiles: [] }),
  ...(own.startsWith('google.') && { answerFiles: ['image/*'], roundsIntegers: true }),
  ...cacheOfPackage(own),
  reasoning: 'all',
  keepsBlankText: false,
  answersBeforeUser: false,
  answerSchema: 'never',
})

const rulesByModel = new WeakMap<Model, WireRules>()

/** Remembers the rules that the calls of a model are fitted to. */
export function setRules(model: Model, rules: WireRules): Model {
  rulesByModel.set(model, rules)
  return model
}

/** The rules that the calls of a model are fitted to; undefined for a model that somebody else made. */
export const rulesOf = (model: Model): WireRules | undefined => rulesByModel.get(model)
