import type { SharedV4Warning } from '@ai-sdk/provider'
import { cut } from '../../json/to-json.ts'
import type { Run } from './run.ts'

/** Warnings may repeat what was sent. */
const maxChars = 300
/** Most warnings of a run. */
const maxWarnings = 20
/** Most warnings that are known as logged; beyond, some are logged again. */
const maxLogged = 1000

/** What the platform calls settings of the AI SDK. */
const ownNames: Readonly<Record<string, string>> = {
  maxOutputTokens: 'max_tokens',
  topP: 'top_p',
  topK: 'top_k',
  stopSequences: 'stop',
}

const withOwnNames = (text: string) =>
  text.replaceAll(/\b(?:maxOutputTokens|topP|topK|stopSequences)\b/g, (name) => ownNames[name] ?? name)

/** A warning of a provider as a sentence, with the names that its settings have here. */
export function toWarningText(warning: SharedV4Warning): string {
  if (warning.type === 'other') return cut(warning.message, maxChars)
  if (warning.type === 'deprecated')
    return cut(`"${warning.setting}" is deprecated. ${warning.message}`, maxChars)
  const fact = warning.type === 'unsupported' ? 'is not supported' : 'is supported in part'
  const details = warning.details === undefined ? '' : ` ${warning.details}`
  return cut(withOwnNames(`"${warning.feature}" ${fact}.${details}`), maxChars)
}

/** Keeps what the provider of a turn warned of for the result, and logs it once for each agent and model. */
export function noteWarnings(run: Run, warnings: readonly string[]): void {
  const { context, row } = run
  const { name } = run.chain.current
  for (const warning of warnings) {
    const text = run.redact.text(`${name}: ${warning}`)
    const known = run.progress.warnings
    if (known.includes(text) || known.length >= maxWarnings) continue
    run.warn(text)
    const key = JSON.stringify([row.agentId, text])
    if (context.loggedWarnings.has(key)) continue
    if (context.loggedWarnings.size >= maxLogged) context.loggedWarnings.clear()
    context.loggedWarnings.add(key)
    context.logger.warn('A model provider sent a warning', {
      agentId: row.agentId,
      model: name,
      warning: text,
    })
  }
}
