import { hash } from 'node:crypto'
import type { Json } from '@homeward/contract/agent-platform'
import type { EffectIntent, StoredEffect } from '../../store/ports/effect.ts'
import { isIdempotent } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { PlannedCall } from './plan-calls.ts'

/** Entry of the ledger before a call (A8). */
export const toIntent = ({ checked: { call, tool, args }, key }: PlannedCall): EffectIntent => ({
  key,
  callId: call.id,
  tool: tool.id,
  argsHash: hashArgs(args),
  repeat: isIdempotent(tool) ? 'safe' : 'once',
})

/** Whether a call may have been made, and must not be made again (A8). */
export const isUncertain = ({ outcome, repeat, isParked }: StoredEffect): boolean =>
  !outcome && repeat === 'once' && !isParked

/** Identifies arguments: the same for the same ones, whatever the order of their keys. */
export const hashArgs = (args: Json): string => hash('sha256', toCanonicalJson(args))

/** Identifies a tool and its arguments: the same for the same arguments, whatever the order of their keys. */
export const hashCall = (tool: string, args: Json): string =>
  hash('sha256', `${JSON.stringify(tool)} ${toCanonicalJson(args)}`)

/** The same text for the same value, whatever the order of its keys. */
export function toCanonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  const keys = Object.keys(value)
  if (keys.length > 1) keys.sort()
  let text = ''
  for (const key of keys) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${toCanonicalJson(value[key] ?? null)}`
  }
  return `{${text}}`
}

/** What the model, and people, are told of a call that must not be made again. */
export const uncertainCall =
  'The server stopped during this call, so the call may or may not have taken effect'

/** Why a run stops whose call may have been made, and must not be made twice (A8). */
export function effectUncertain(tools: readonly string[]): RuntimeError {
  const names = tools.map((tool) => `"${tool}"`).join(', ')
  return new RuntimeError(
    'effect_uncertain',
    `Resuming the run failed: the server stopped while ${names} was running, so the call may or may not have taken effect. ` +
      'It will not be retried automatically. Check whether it happened, then submit the task again or leave it.',
    { details: { tools } },
  )
}
