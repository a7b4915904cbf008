import type { Agent, AgentPatch, JsonObject, Reasoning } from '@homeward/contract/agent-platform'

/** How the model is called, as the form holds it. `NaN` is an empty number. */
export interface ModelSettingsDraft {
  readonly temperature: number
  readonly top_p: number
  readonly top_k: number
  readonly seed: number
  /** One text per line, with `\n` for a line break. */
  readonly stop: string
  readonly reasoning: Reasoning | 'default'
  /** The text of a JSON object. */
  readonly provider_options: string
}

type ModelSettings = NonNullable<Agent['model_settings']>
type ModelSettingsPatch = NonNullable<AgentPatch['model_settings']>

/** No setting is sent: the provider's defaults apply. */
export const emptyModelSettings: ModelSettingsDraft = {
  temperature: Number.NaN,
  top_p: Number.NaN,
  top_k: Number.NaN,
  seed: Number.NaN,
  stop: '',
  reasoning: 'default',
  provider_options: '',
}

/** Names of the settings. */
export const modelSettingNames = Object.keys(emptyModelSettings) as (keyof ModelSettingsDraft)[] // its own keys

/** The form of an agent's settings. */
export function toModelSettingsDraft(settings: ModelSettings = {}): ModelSettingsDraft {
  const { temperature, top_p, top_k, seed, stop, reasoning, provider_options } = settings
  return {
    temperature: temperature ?? Number.NaN,
    top_p: top_p ?? Number.NaN,
    top_k: top_k ?? Number.NaN,
    seed: seed ?? Number.NaN,
    stop: toStopLines(stop ?? []),
    reasoning: reasoning ?? 'default',
    provider_options: toJsonText(provider_options),
  }
}

/**
 * The settings of a form: each of them on its own, because the platform merges them.
 *
 * @returns null if none is set, which clears all
 */
export function toModelSettings(draft: ModelSettingsDraft): ModelSettingsPatch | null {
  const { temperature, top_p, top_k, seed, stop, reasoning, provider_options } = draft
  const texts = toStopTexts(stop)
  const settings = {
    temperature: given(temperature),
    top_p: given(top_p),
    top_k: given(top_k),
    seed: given(seed),
    stop: texts.length === 0 ? null : texts,
    reasoning: reasoning === 'default' ? null : reasoning,
    provider_options: parseJsonText(provider_options),
  }
  if (Object.values(settings).every((value) => value === null)) return null
  return settings as unknown as ModelSettingsPatch // null clears; the schema's output type does not know it
}

const given = (value: number) => (Number.isNaN(value) ? null : value)

const escapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\\': '\\' }
const escaped = new Map(Object.entries(escapes).map(([sign, letter]) => [letter, sign]))

/** Texts at which a model stops, one per line. Line breaks and tabs in them are written as `\n` and `\t`. */
export function toStopLines(texts: readonly string[]): string {
  return texts
    .map((text) => text.replaceAll(/[\n\r\t\\]/g, (sign) => `\\${escapes[sign] ?? sign}`))
    .join('\n')
}

/** The texts of the lines. Empty lines are left out; blanks count. */
export function toStopTexts(lines: string): string[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll(/\\([nrt\\])/g, (_all, letter: string) => escaped.get(letter) ?? letter))
}

/** A JSON object as people edit it: indented. Empty for none. */
export function toJsonText(object: JsonObject | undefined): string {
  return object === undefined ? '' : JSON.stringify(object, undefined, 2)
}

/**
 * Reads a JSON object that a person typed.
 *
 * @returns null for an empty text
 * @throws {Error} that says what is wrong with the text
 */
export function parseJsonText(text: string): JsonObject | null {
  if (text.trim() === '') return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error('The text is not valid JSON. Check commas, quotes and brackets.', { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject // it was JSON
  throw new Error('The text is not a JSON object. Put the object in braces: {…}.')
}

/** What is wrong with the text of a JSON object. */
export function jsonTextProblem(text: string): string | undefined {
  try {
    parseJsonText(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
