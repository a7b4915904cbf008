import type { ChatSetup } from './chat-command.ts'
import { toFarewell } from './chat-command.ts'
import { createChatController } from './chat-controller.ts'
import { openInputHistory } from './input-history.ts'
import { openTerminal } from './open-terminal.ts'
import { createTerminalScreen } from './terminal-screen.ts'

/** Talks on a terminal with a cursor, until the person leaves. */
export async function chatOnTerminal(setup: ChatSetup): Promise<void> {
  const { cli, client, url, agentId, conversationId, hasColor } = setup
  const history = await openInputHistory(setup.historyPath)
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
