import { newTurn, type TurnPart } from '@homeward/contract/runs'
import { describe, expect, it } from 'vitest'
import { keysOf, withReasoningOf } from './turn.ts'

describe('a turn that is read from its messages once its run has ended', () => {
  it('keeps the reasoning that was received while it ran, where it stood', () => {
    const parts: TurnPart[] = [
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'text', text: 'Yes.' },
      { kind: 'reasoning', text: 'Sure.' },
    ]
    const live = { ...newTurn({ runId: 'r1' }), parts }
    const kept = { ...live, parts: live.parts.filter(({ kind }) => kind === 'text') }
    expect(withReasoningOf(kept, live)).toEqual(live)
    expect(withReasoningOf(kept, kept)).toBe(kept)
  })

  it('keeps the key of a call when approvals and reasoning beside it are gone', () => {
    const tool = (callId: string) =>
      ({ kind: 'tool', callId, name: 'look', args: null, state: 'done' }) as const
    const approval = {
      kind: 'approval',
      id: 'p',
      runId: 'r1',
      tool: 'look',
      args: null,
      isOpen: false,
    } as const
    const live = [{ kind: 'reasoning', text: 'Hm' } as const, approval, tool('a'), tool('a'), tool('b')]
    const stored = [tool('a'), tool('a'), tool('b')]
    expect(keysOf(live).slice(2)).toEqual(keysOf(stored))
    expect(new Set(keysOf(live)).size).toBe(live.length)
  })
})
