import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeHistory, type HistoryAction, newHistory } from './use-graph-editor.ts'
import { newDraft } from './graph-draft.ts'

const first = newDraft('writer')
const key = first.nodes[0]?.key ?? ''
const after = (...actions: readonly HistoryAction[]) => actions.reduce(changeHistory, newHistory(first))
const type = (input: string): HistoryAction => ({ type: 'change-node', key, change: { input } })
const add: HistoryAction = { type: 'add-node', agent: 'writer' }
const undo: HistoryAction = { type: 'undo' }
const redo: HistoryAction = { type: 'redo' }

describe('the history of a graph that is edited', () => {
  it('takes back the last step, and makes it again', () => {
    expect(after(add, undo).draft).toBe(first)
    expect(after(add, undo, redo).draft.nodes).toHaveLength(2)
  })

  it('has one step for a text, however many letters it has', () => {
    expect(after(type('a'), type('ab'), type('abc'), undo).draft).toBe(first)
    expect(after(type('a'), add, type('ab'), undo).draft.nodes[0]?.input).toBe('a')
  })

  it('forgets what was taken back once something else is done', () => {
    expect(after(add, undo, type('a'), redo).draft.nodes).toHaveLength(1)
  })

  it('stays as it is where there is nothing to take back or to make again', () => {
    expect(after(undo, redo).draft).toBe(first)
  })

  it('keeps the last hundred steps', () => {
    const history = after(...Array.from({ length: 150 }, () => add))
    expect(history.past).toHaveLength(100)
  })

  it('is what it was after as many redos as undos', () => {
    const action = fc.oneof(fc.constant(add), fc.string({ maxLength: 3 }).map(type))
    fc.assert(
      fc.property(fc.array(action, { maxLength: 20 }), fc.nat(25), (actions, times) => {
        const history = after(...actions)
        const steps = Math.min(times, history.past.length)
        const back = Array.from({ length: steps }, () => undo)
        const again = Array.from({ length: steps }, () => redo)
        expect([...back, ...again].reduce(changeHistory, history).draft).toBe(history.draft)
      }),
    )
  })
})
