import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { isIdempotent, type Tool } from '../../ports/tool.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** A tool of a scenario that returns its arguments. */
export interface CrashTool {
  readonly id: string
  /** Whether a call that may have happened can be repeated. */
  readonly repeat: 'safe' | 'once'
  /** Whether the tool can verify a call, so that no call is uncertain. @default false */
  readonly verifies?: boolean
  /** Whether the tool can undo a call. @default false */
  readonly undoes?: boolean
  /** Another tool of the same turn whose end the store must record while this one still runs. */
  readonly waitsFor?: string
  /** Number of additional characters in its result. @default 0 */
  readonly resultChars?: number
  /** Whether its result contains the context of the run. @default false */
  readonly saysContext?: boolean
  /** Bytes of a picture in its result. @default no picture */
  readonly picture?: Uint8Array
}

/** Something that a tool has done. */
export interface Effect {
  readonly tool: string
  /** As JSON: every call of a scenario has its own. */
  readonly args: string
  /** Whether it may not be called twice. */
  readonly isOnce: boolean
  /** The same for every repeat of a call. */
  readonly key: string
}

/** What is there whether processes live or die: what tools have done, and the time. */
export interface World {
  readonly effects: readonly Effect[]
  /** What was not kept in time. */
  readonly problems: readonly string[]
  now(): number
  /** Lets time go by. */
  pass(ms: number): void
  toolOf(life: SimulatedProcess, tool: CrashTool): Tool
  /** The same tool, whose calls leave the process. */
  watch(life: SimulatedProcess, tool: Tool): Tool
}

const startMs = Date.UTC(2026, 0, 5, 12)
/** Times that a tool looks whether an outcome is kept: far more than any store takes. */
const maxLooks = 500
const lookEveryMs = 2

/** @param store Gives the store that is open now. */
export function createCrashFixtures(store: () => RuntimeStore): World {
  const effects: Effect[] = []
  const problems: string[] = []
  let nowMs = startMs

  async function untilKept(life: SimulatedProcess, runId: string, tool: string): Promise<void> {
    for (let look = 0; look < maxLooks; look += 1) {
      if (life.isOver()) return
      const known = await store().listEffects(runId)
      if (known.some((effect) => effect.tool === tool && effect.outcome !== undefined)) return
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
    problems.push(`the outcome of ${tool} was not kept while another call of its turn was at work`)
  }

  return {
    effects,
    problems,
    // a moment for each look, so that what happens has an order
    now: () => (nowMs += 1),
    pass: (ms) => void (nowMs += ms),
    watch: (life, tool) => ({
      ...tool,
      execute: (args, context) =>
        life.cross(`tool.${tool.id}`, async () => {
          const { idempotencyKey: key } = context
          const effect = { tool: tool.id, args: JSON.stringify(args), isOnce: !isIdempotent(tool), key }
          effects.push(effect)
          try {
            return await tool.execute(args, context)
          } catch (error) {
            // it has failed, or it asks a person first: then it is called again
            effects.splice(effects.indexOf(effect), 1)
            throw error
          }
        }),
    }),
    toolOf: (life, { id, repeat, waitsFor, resultChars, saysContext, picture, verifies, undoes }) => ({
      id,
      description: `Does ${id}.`,
      inputSchema: { type: 'object' },
      effects: 'write',
      idempotent: repeat === 'safe',
      returnsUntrustedContent: false,
      execute: (args: JsonObject, { idempotencyKey, runId, context }) =>
        life.cross(`tool.${id}`, async () => {
          effects.push({
            tool: id,
            args: JSON.stringify(args),
            isOnce: repeat === 'once',
            key: idempotencyKey,
          })
          if (waitsFor !== undefined) await untilKept(life, runId, waitsFor)
          if (picture !== undefined)
            return { content: [{ type: 'file', media_type: 'image/png', data: picture }] }
          return {
            did: id,
            ...args,
            ...(saysContext && { context: (context as Json | undefined) ?? null }), // a scenario builds JSON
            ...(resultChars !== undefined && { more: 'm'.repeat(resultChars) }),
          }
        }),
      ...(verifies && {
        verify: (args, { idempotencyKey }) =>
          life.cross(`verify.${id}`, async () => {
            const happened = effects.some(({ key }) => key === idempotencyKey)
            return happened ? { happened, result: { did: id, ...args } } : { happened }
          }),
      }),
      ...(undoes && {
        undo: (args, _result, { idempotencyKey: key }) =>
          life.cross(`undo.${id}`, async () => {
            effects.push({ tool: `undo:${id}`, args: JSON.stringify(args), isOnce: false, key })
          }),
      }),
    }),
  }
}
