import type { Message } from '@homeward/contract/agent-platform'
import { describe, expect, it } from 'vitest'
import { branchedMessages, mostBranched } from './use-chat-actions.ts'

let count = 0
const message = (role: Message['role'], content: string, run_id: string): Message => ({
  id: `m${(count += 1)}`,
  role,
  content,
  run_id,
  created_at: '2026-01-01T00:00:00.000Z',
})

const talk = [
  message('user', 'One', 'r1'),
  message('assistant', 'First', 'r1'),
  message('user', 'Two', 'r2'),
  message('assistant', 'Second', 'r2'),
  message('assistant', 'Second, better', 'r3'),
]

describe('the messages of a branch', () => {
  it('end with the chosen turn, or in front of it', () => {
    expect(branchedMessages(talk, 'r1', true).map(({ content }) => content)).toEqual(['One', 'First'])
    expect(branchedMessages(talk, 'r2', false).map(({ content }) => content)).toEqual(['One', 'First'])
    expect(branchedMessages(talk, 'r1', false)).toEqual([])
  })

  it('leave out an answer that was replaced', () => {
    const texts = branchedMessages(talk, 'r3', true).map(({ content }) => content)
    expect(texts).toEqual(['One', 'First', 'Two', 'Second, better'])
  })

  it('are the newest ones of a long conversation', () => {
    const long = Array.from({ length: 300 }, (_, index) => message('user', `${index}`, `long-${index}`))
    const branched = branchedMessages(long, 'long-299', true)
    expect(branched).toHaveLength(mostBranched)
    expect(branched.at(-1)?.content).toBe('299')
  })
})
