import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ToolCallPart } from '../../ports/message.ts'
import type { Tool, Verification } from '../../ports/tool.ts'
import type { EffectOutcome, StoredEffect } from '../../store/ports/effect.ts'
import type { Run } from '../loop/run.ts'
import { hashArgs, isUncertain } from './effect-ledger.ts'
import { isUntrusted, withMarks } from './make-calls.ts'
import { checkCall, type KnownCalls } from './plan-calls.ts'
import { runTool } from './run-tool.ts'

/**
 * Asks the tools of calls that may have been made whether they were. A call that took effect gets its result, and one that
 * did not may be made again. The others stay uncertain. Nothing is stored: after another crash, the tools are asked again.
 *
 * @throws {unknown} the reason of the run's signal
 */
export async function verifyCalls(
  run: Run,
  effects: readonly StoredEffect[],
  calls: readonly ToolCallPart[],
  verdicts: KnownCalls['verdicts'],
): Promise<StoredEffect[]> {
  return Promise.all(
    effects.map(async (effect) => {
      const call = isUncertain(effect) && calls.find(({ id }) => id === effect.callId)
      if (!call) return effect
      const { editedArgs } = verdicts.get(call.id) ?? {}
      const checked = await checkCall(run, editedArgs ? { ...call, args: editedArgs } : call)
      // a guard may have changed the arguments that a person had changed: then nobody knows them
      if (!('tool' in checked) || hashArgs(checked.args) !== effect.argsHash) return effect
      const { tool, args } = checked
      const found = await askTool(run, call, tool, args, effect.key)
      run.signal.throwIfAborted()
      if (found === 'unknown') return effect
      if (found === 'not happened') return { ...effect, repeat: 'safe' }
      const planned = { checked, key: effect.key, ...(editedArgs && { editedArgs: args }) }
      const result = withMarks(found, planned, run.progress.tainted)
      const untrusted = tool.returnsUntrustedContent && isUntrusted(tool, found)
      // the guards of tool results have not seen it
      return { ...effect, outcome: { key: effect.key, result, untrusted, isUnchecked: true } }
    }),
  )
}

/** Calls `verify` in place of `execute`: within the time of the tool, and its result is bounded and without secrets. */
async function askTool(
  run: Run,
  call: ToolCallPart,
  tool: Tool,
  args: JsonObject,
  key: string,
): Promise<EffectOutcome['result'] | 'not happened' | 'unknown'> {
  let found: Verification['happened'] = 'unknown'
  const asked: Tool = {
    ...tool,
    async execute(own, { idempotencyKey, signal }) {
      const answer = await tool.verify?.(own, { ...run.runContext, idempotencyKey, signal })
      // an app without types may answer anything
      if (answer?.happened === true) found = true
      else if (answer?.happened === false) found = false
      return answer?.happened === true ? answer.result : null
    },
  }
  const made = await runTool(run, { call, tool: asked, args }, key, run.progress.tainted)
  if (!made || !('id' in made) || made.error !== undefined || found === 'unknown') return 'unknown'
  return found ? made : 'not happened'
}
