import { type ChatContext, toFarewell } from './chat-command.ts'
import { createChatController } from './chat-controller.ts'
import { createPlainScreen } from './plain-screen.ts'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** Talks line by line: for `TERM=dumb`, or when the output goes to a file. */
export async function chatInLines({ cli, client, url, agentId, conversationId }: ChatContext): Promise<void> {
  const screen = createPlainScreen((text) => void cli.stdout.write(text), url)
  const { promise: left, resolve: quit } = Promise.withResolvers<void>()
  const controller = createChatController({ client, agentId, screen, quit })
  const interrupt = () => {
    if (!controller.interrupt()) quit()
  }
  process.on('SIGINT', interrupt)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, quit)
  cli.stdout.on('error', () => quit())
  const stopReading = readLines(
    cli.stdin,
    (typed) => {
      const key = typed.trim().toLowerCase()
      const isKey = key === 'y' || key === 'n' || key === 'd'
      if (!isKey || !controller.decide(key)) void controller.input(typed)
    },
    quit,
  )
  if (conversationId === undefined) screen.showNote(`Talking to ${agentId}. /help shows the commands.`)
  else await controller.open(conversationId)
  await left
  controller.close()
  stopReading()
  process.off('SIGINT', interrupt)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, quit)
  cli.stderr.write(toFarewell(controller.agentId, controller.conversationId))
}

/** Lines that arrive this close together were pasted. */
const pasteMs = 40

/**
 * Reads inputs from a terminal without a cursor: one for each line. Lines that are pasted together are one input, and so
 * is a line that ends with a backslash with the next one.
 *
 * @returns stops the reading
 */
function readLines(input: Readable, onInput: (typed: string) => void, onEnd: () => void): () => void {
  const reader = createInterface({ input, terminal: false })
  let lines: string[] = []
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    if (lines.length === 0) return
    const typed = lines.join('\n')
    lines = []
    onInput(typed)
  }
  reader.on('line', (line) => {
    clearTimeout(timer)
    const isContinued = line.endsWith('\\')
    lines.push(isContinued ? line.slice(0, -1) : line)
    if (!isContinued) timer = setTimeout(flush, pasteMs)
  })
  reader.on('close', () => {
    flush()
    onEnd()
  })
  return () => {
    clearTimeout(timer)
    lines = []
    reader.close()
  }
}
