import type { ChatSetup } from './chat-command.ts'
import { toFarewell } from './chat-command.ts'
import { createChatController } from './chat-controller.ts'
import { createPlainScreen } from './plain-screen.ts'
import { readLines } from './read-lines.ts'

/** Talks line by line: for `TERM=dumb`, or when the output goes to a file. */
export async function chatInLines({ cli, client, url, agentId, conversationId }: ChatSetup): Promise<void> {
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
