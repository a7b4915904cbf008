import { type ChatContext, toFarewell } from './chat-command.ts'
import { createChatController } from './chat-controller.ts'
import { createTerminalScreen } from './terminal-screen.ts'
import { ProcessTerminal, type Terminal } from '@earendil-works/pi-tui'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '@homeward/kit/node'

/** Talks on a terminal with a cursor, until the person leaves. */
export async function chatOnTerminal(context: ChatContext): Promise<void> {
  const { cli, client, url, agentId, conversationId, hasColor } = context
  const history = await openInputHistory(context.historyPath)
  const screen = createTerminalScreen({ terminal: openTerminal(), hasColor, url, history: history.entries })
  const { promise: left, resolve: quit } = Promise.withResolvers<void>()
  const controller = createChatController({ client, agentId, screen, quit })
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
  for (const signal of signals) process.once(signal, quit)
  cli.stdout.on('error', () => quit()) // the terminal was closed
  screen.start({
    input(typed) {
      if (typed.trim() !== '') void history.add(typed)
      void controller.input(typed)
    },
    decide: controller.decide,
    interrupt: controller.interrupt,
    quit,
  })
  if (conversationId === undefined) screen.showNote(`Talking to ${agentId}. /help shows the commands.`)
  else await controller.open(conversationId)
  await left
  controller.close()
  await screen.stop()
  for (const signal of signals) process.off(signal, quit)
  cli.stderr.write(toFarewell(controller.agentId, controller.conversationId))
}

/** How long a window that is being resized has to keep its size before the chat is laid out again. */
const settleMs = 120

/** Erases what the terminal showed before: on a resize, that would be the person's earlier work. */
// oxlint-disable-next-line no-control-regex -- the sequence itself
const eraseScrollback = /\u001b\[3J/g

/**
 * The terminal of this process, with two differences: what was scrolled away stays, and a size counts once it has settled,
 * because every new width prints the chat again.
 */
function openTerminal(): Terminal {
  const terminal = new ProcessTerminal()
  let columns = terminal.columns
  let rows = terminal.rows
  let timer: NodeJS.Timeout | undefined
  return new Proxy<Terminal>(terminal, {
    get(target, name) {
      if (name === 'columns') return columns
      if (name === 'rows') return rows
      if (name === 'write') return (text: string) => target.write(text.replaceAll(eraseScrollback, ''))
      if (name === 'start') {
        return (onInput: (input: string) => void, onResize: () => void) => {
          target.start(onInput, () => {
            clearTimeout(timer)
            timer = setTimeout(() => {
              if (columns === target.columns && rows === target.rows) return
              columns = target.columns
              rows = target.rows
              onResize()
            }, settleMs)
          })
        }
      }
      if (name === 'stop') {
        return () => {
          clearTimeout(timer)
          target.stop()
        }
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** Most inputs that are stored, and most characters of one. */
const maxEntries = 500
const maxLength = 10_000

/** What a person typed in earlier chats, oldest first. */
interface InputHistory {
  readonly entries: readonly string[]
  /** Stores one more. A history that cannot be written is no reason to stop a chat. */
  add(entry: string): Promise<void>
}

/** Reads the history. Its file holds one JSON string per line and is readable by its owner only. */
export async function openInputHistory(path: string): Promise<InputHistory> {
  let entries = parseEntries(await readFile(path, 'utf8').catch(() => ''))
  let writing = Promise.resolve()
  return {
    get entries() {
      return entries
    },
    add(entry) {
      if (entry.length > maxLength || entry === entries.at(-1)) return writing
      entries = [...entries, entry].slice(-maxEntries)
      const text = entries.map((each) => `${JSON.stringify(each)}\n`).join('')
      writing = writing.then(() => write(path, text)).catch(() => undefined)
      return writing
    },
  }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await replaceFile(path, text, { mode: 0o600 })
}

function parseEntries(text: string): readonly string[] {
  const entries = text.split('\n').flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line)
      return typeof entry === 'string' ? [entry] : []
    } catch {
      return [] // cut off, or of another version
    }
  })
  return entries.slice(-maxEntries)
}
