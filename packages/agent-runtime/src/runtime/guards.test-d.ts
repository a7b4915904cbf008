import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { expectTypeOf, it } from 'vitest'
import { createRuntime, type OutputGuard } from '../index.ts'

it('types what guards see and what they may decide', () => {
  createRuntime({
    guards: {
      input({ text, kind }, { runId }) {
        expectTypeOf(text).toEqualTypeOf<string>()
        expectTypeOf(kind).toEqualTypeOf<'task' | 'message' | 'instructions'>()
        expectTypeOf(runId).toEqualTypeOf<string>()
        return { replace: text.trim() }
      },
      toolCall: [({ args }) => ({ replace: { ...args, safe: true } }), async () => 'allow' as const],
      toolResult({ args, result }) {
        expectTypeOf(args).toEqualTypeOf<JsonObject>()
        expectTypeOf(result).toEqualTypeOf<Json | undefined>()
        return result === undefined ? { refuse: 'nothing' } : { replace: { result } }
      },
      output: ({ data }) => (data === undefined ? 'allow' : { replace: { data } }),
    },
  })
})

it('types the context that contextFor builds', () => {
  createRuntime({
    contextFor: () => ({ tenant: 'a' }),
    guards: {
      toolCall(_, { context, metadata }) {
        expectTypeOf(context.tenant).toEqualTypeOf<string>()
        expectTypeOf(metadata).toEqualTypeOf<Readonly<JsonObject>>()
        return 'allow'
      },
    },
  })
})

it('takes no guard that may decide nothing', () => {
  // @ts-expect-error a guard that returns nothing fails
  createRuntime({ guards: { input: () => {} } })
  // @ts-expect-error true is no decision
  createRuntime({ guards: { input: () => true } })
  // @ts-expect-error a task is replaced by a text
  createRuntime({ guards: { input: () => ({ replace: { text: 'x' } }) } })
  // @ts-expect-error one follows from the other
  const both: OutputGuard = () => ({ replace: { text: 'x', data: 1 } })
  expectTypeOf(both).toBeFunction()
})
