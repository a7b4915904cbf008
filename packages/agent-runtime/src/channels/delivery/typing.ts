import type { StoredChannelMessage } from '../../store/ports/channel-store.ts'
import type { StoredTask } from '../../store/ports/task-store.ts'
import type { TaskWork } from '../../tasks/attempt.ts'
import type { ChannelSet } from '../channel-set.ts'
import { sleep } from '@homeward/kit'

/** Shows that an answer is being written, until the signal aborts. Never rejects. */
export type KeepTyping = (task: StoredTask, signal: AbortSignal) => Promise<void>

/** What {@link createKeepTyping} is built from. */
export interface KeepTypingOptions {
  readonly set: ChannelSet
  readonly find: (messageId: string) => Promise<StoredChannelMessage | undefined>
}

const defaultEveryMs = 4000
const maxCallMs = 10_000
/** After so many failures in a row it is left. */
const maxFailures = 3

export function createKeepTyping({ set, find }: KeepTypingOptions): KeepTyping {
  /** @returns how long to wait until the next time; undefined when there is none. */
  async function typeOnce(message: StoredChannelMessage, signal: AbortSignal): Promise<number | undefined> {
    const channel = (await set.current()).get(message.channel)?.channel
    if (!channel?.typing || signal.aborted) return undefined
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), maxCallMs)
    try {
      await channel.typing(message.target, AbortSignal.any([signal, limit.signal]))
    } finally {
      clearTimeout(timer)
    }
    return channel.typingEveryMs ?? defaultEveryMs
  }

  return async ({ id, metadata }, signal) => {
    const messageId = metadata?.['message_id']
    if (typeof messageId !== 'string') return
    let failures = 0
    try {
      const message = await find(messageId)
      if (message?.taskId !== id) return
      while (!signal.aborted && failures < maxFailures) {
        let pauseMs: number | undefined = defaultEveryMs
        try {
          pauseMs = await typeOnce(message, signal)
          failures = 0
        } catch {
          failures += 1
        }
        if (pauseMs === undefined) return
        await sleep(pauseMs, signal)
      }
    } catch {
      // it is a courtesy: nothing depends on it
    }
  }
}

/** The same work, with the sign of typing while a task of a channel is worked on. */
export function withTyping(work: TaskWork, keepTyping: KeepTyping): TaskWork {
  return {
    conclude: (task) => work.conclude(task),
    async execute(task, signal) {
      if (typeof task.metadata?.['channel'] !== 'string') return work.execute(task, signal)
      const over = new AbortController()
      void keepTyping(task, AbortSignal.any([signal, over.signal]))
      try {
        return await work.execute(task, signal)
      } finally {
        over.abort()
      }
    },
  }
}
