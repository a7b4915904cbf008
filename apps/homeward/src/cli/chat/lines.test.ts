import { describe, expect, it } from 'vitest'
import type { ChatStatus } from './chat-screen.ts'
import { toAge, toConversationLines } from './chat-lists.ts'
import { createPlainScreen } from './plain-screen.ts'
import { toStatusLines } from './status-line.ts'
import { foldRun, newTurn } from '@homeward/contract/runs'

const idle: ChatStatus = {
  agentId: 'helper',
  isBusy: false,
  isStopping: false,
  isConnected: true,
  hasBegun: false,
  waiting: undefined,
  isDetailed: false,
  files: [],
  queued: 0,
}

describe('a chat that is only appended to', () => {
  it('prints each piece of an answer once, also when its events begin again', () => {
    let printed = ''
    const screen = createPlainScreen((text) => (printed += text), 'http://server')
    const half = foldRun(newTurn(), { event: 'assistant', data: { delta: 'One \u001b[31mtw' } })
    const whole = foldRun(half, { event: 'assistant', data: { delta: 'o.' } })
    screen.showMessage('Typed', [], true)
    for (const turn of [half, newTurn(), half, whole]) screen.showTurn(turn)
    screen.endTurn({ ...whole, status: 'completed' })
    screen.showStatus({ ...idle, isConnected: false, hasBegun: true })
    screen.showStatus({ ...idle, isConnected: false, hasBegun: true })
    screen.showStatus(idle)
    expect(printed).toBe(
      'One two.\nconnection lost, the answer continues on the server; reconnecting…\nConnected again.\n',
    )
  })
})

describe('the status of a chat', () => {
  it('tells what happens, and what the next message brings along', () => {
    expect(toStatusLines(idle)).toEqual({ question: undefined, status: 'helper · /help' })
    const busy = { ...idle, isBusy: true, files: ['a\u001b[2J.png'], queued: 2 }
    expect(toStatusLines(busy).status).toBe('helper · working… Ctrl+C stops · 2 queued · attached: a.png')
    expect(toStatusLines({ ...busy, isConnected: false }).status).toContain('the server does not respond')
    expect(toStatusLines({ ...busy, isStopping: true }).status).toContain('stopping…')
  })
})

describe('an earlier conversation', () => {
  const at = '2026-11-26T12:00:00.000Z'

  it('is listed with its title and age', () => {
    const conversation = { id: 'c', agent_id: 'helper', message_count: 1, created_at: at, updated_at: at }
    expect(toConversationLines([conversation], 'c', Date.parse(at) + 7_200_000)).toEqual([
      '1. Untitled (this one), 2 h ago, 1 message',
    ])
    expect([toAge(0), toAge(120_000), toAge(3 * 86_400_000)]).toEqual(['just now', '2 min ago', '3 days ago'])
  })
})
