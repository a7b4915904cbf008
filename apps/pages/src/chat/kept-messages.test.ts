import { describe, expect, it, vi } from 'vitest'
import { keepMessage, messagePlace, moveKeptMessage, readKeptMessage } from './kept-messages.ts'

describe('a message that was not sent', () => {
  it('is kept for its conversation, or for the agent that nothing was said to yet', () => {
    const stored = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    })
    keepMessage(messagePlace('a', undefined), 'Begun')
    keepMessage(messagePlace('b', 'a'), 'Gone on')
    expect(readKeptMessage(messagePlace('a', undefined))).toBe('Begun')
    expect(readKeptMessage(messagePlace('b', 'a'))).toBe('Gone on')
    expect(readKeptMessage(messagePlace('b', undefined))).toBe('')
    moveKeptMessage(messagePlace('a', undefined), messagePlace('a', 'c'))
    expect(readKeptMessage(messagePlace('a', undefined))).toBe('')
    expect(readKeptMessage(messagePlace('a', 'c'))).toBe('Begun')
    moveKeptMessage(messagePlace('a', undefined), messagePlace('a', 'c')) // nothing is there any more
    expect(readKeptMessage(messagePlace('a', 'c'))).toBe('Begun')
    keepMessage(messagePlace('a', 'c'), '')
    keepMessage(messagePlace('b', 'a'), '')
    expect(stored.size).toBe(0)
  })

  it('can be written where nothing can be kept', () => {
    const refuse = () => {
      throw new Error('no storage')
    }
    vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
    for (const text of ['Begun', '']) expect(() => keepMessage('agent.a', text)).not.toThrow()
    expect(readKeptMessage('agent.a')).toBe('')
  })
})
