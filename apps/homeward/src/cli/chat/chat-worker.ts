import { toFailure } from '../cli-error.ts'
import type { LoadedFile } from '../files/load-file.ts'
import type { ChatScreen } from './chat-screen.ts'
import type { ChatSession } from './chat-session.ts'
import type { Turn } from '@homeward/contract/runs'

/** What a person says. */
interface ChatMessage {
  readonly text: string
  readonly files: readonly LoadedFile[]
}

/** Sends messages one after another. */
export interface ChatWorker {
  /** Messages that are sent when the answer has ended. */
  readonly queued: number
  /** Sends a message, or queues it while the agent works. */
  say(message: ChatMessage): void
  /** Reads a run that works already. */
  follow(runId: string): void
  /** Forgets what is queued. */
  clear(): void
}

/** What the worker works with. */
interface ChatWorkerOptions {
  readonly session: ChatSession
  readonly screen: ChatScreen
  /** A message was not sent. */
  readonly onUnsent: (message: ChatMessage) => void
  /** Called whenever the status may have changed. */
  readonly onChange: () => void
}

export function createChatWorker({ session, screen, onUnsent, onChange }: ChatWorkerOptions): ChatWorker {
  let queue: readonly ChatMessage[] = []

  async function work(read: () => Promise<Turn>, message?: ChatMessage): Promise<void> {
    try {
      screen.endTurn(await read())
    } catch (error) {
      if (session.turn) screen.endTurn(session.turn)
      screen.showError(toFailure(error).message)
      queue = []
      if (message && session.turn?.runId === undefined) onUnsent(message)
    }
    const [next, ...later] = queue
    queue = later
    if (next) send(next)
    else onChange()
  }

  function send(message: ChatMessage): void {
    const names = message.files.map(({ name }) => name)
    screen.showMessage(message.text, names, true)
    void work(() => session.send(message.text, message.files), message)
    onChange()
  }

  return {
    get queued() {
      return queue.length
    },
    say(message) {
      if (session.isBusy) queue = [...queue, message]
      else send(message)
      onChange()
    },
    follow(runId) {
      void work(() => session.follow(runId))
      onChange()
    },
    clear() {
      queue = []
    },
  }
}
