import type { JsonObject } from '@homeward/contract/agent-platform'
import { copyJson, toBoundedJson } from '../../json/to-json.ts'
import type { AssistantPart, ToolCallPart } from '../../ports/message.ts'
import type { ActiveRun } from '../active-run.ts'
import type { ArgumentChecks } from '../calls/check-arguments.ts'
import { checkCall, type CheckedCall } from '../calls/run-tool-call.ts'
import type { RunsContext } from '../runs-options.ts'
import { askGuards, GuardFault } from './ask-guards.ts'

/**
 * Checks the calls of an answer before the answer is stored: the stored calls have the arguments that the guards left, so
 * approvals, the ledger and a resumed run all see the same.
 *
 * @param most calls that are made at most: further ones are not checked.
 */
export async function guardCalls(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  parts: readonly AssistantPart[],
  most: number,
): Promise<AssistantPart[]> {
  let calls = 0
  return Promise.all(
    parts.map(async (call) => {
      if (call.type !== 'tool_call' || (calls += 1) > most) return call
      const checked = await guardCall(context, checks, run, await checkCall(call, run, checks))
      if ('tool' in checked) return checked.args === call.args ? call : { ...call, args: checked.args }
      return checked.isRefused ? { ...call, refused: checked.problem } : call
    }),
  )
}

/** Checks one call that may be made otherwise. */
export async function guardCall(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
  checked: CheckedCall,
): Promise<CheckedCall> {
  const { toolCall: guards } = context.guards
  if (!guards || !('tool' in checked)) return checked
  const { call, tool, args } = checked
  const outcome = await askGuards(context, run, {
    guards,
    subject: 'tool call',
    key: keyOf(run, call),
    value: { tool: tool.id, args },
    copy: (value) => ({ ...value, args: copyJson(value.args) }),
    apply: async (value, replacement) => ({ ...value, args: await toArgs(checks, run, call, replacement) }),
  })
  if (outcome.kind === 'passed') {
    return outcome.isReplaced
      ? { call: { ...call, args: outcome.value.args }, tool, args: outcome.value.args }
      : checked
  }
  const why = outcome.kind === 'refused' ? 'A guard refused this call' : 'The guard of this call failed'
  return { call, problem: `Not called: ${why}: ${outcome.reason}`, isRefused: true }
}

/** Providers may give the same id to calls of different turns. */
const keyOf = (run: ActiveRun, { id }: ToolCallPart) => `call:${run.writer.messages.length}:${id}`

async function toArgs(
  checks: ArgumentChecks,
  run: ActiveRun,
  call: ToolCallPart,
  given: unknown,
): Promise<JsonObject> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new GuardFault('its replacement must be an object of arguments')
  }
  const args = toBoundedJson(given, Infinity) as JsonObject // it is an object
  const checked = await checkCall({ ...call, args }, run, checks)
  if ('tool' in checked) return args
  throw new GuardFault(`its replacement does not match the parameters of the tool: ${checked.problem}`)
}
