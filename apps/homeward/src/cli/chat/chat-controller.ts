import { toFailure } from '../cli-error.ts'
import { checkFiles, type LoadedFile, loadFiles } from '../files/load-file.ts'
import type { AgentsClient } from '../agents-client.ts'
import { type ChatPlaces, createChatPlaces } from './chat-places.ts'
import type { ChatScreen } from './chat-screen.ts'
import { createChatSession, type ChatSession } from './chat-session.ts'
import { createChatWorker } from './chat-worker.ts'
import { type ChatCommandName, parseInput, chatCommands } from './parse-input.ts'
import type { ApprovalDecision } from '@homeward/contract/agent-platform'
import { ClientError } from '@homeward/contract/client'
import { type ApprovalPart, waitingApprovals } from '@homeward/contract/runs'

/** What a person does, for a session and a screen. */
interface ChatController {
  readonly agentId: string
  readonly conversationId: string | undefined
  /** Takes what was typed. Never rejects: failures are shown. */
  input(typed: string): Promise<void>
  /** Decides about the call that waits, or shows it. @returns false if no call waits */
  decide(key: 'y' | 'n' | 'd'): boolean
  /** Ctrl+C: stops the run; a second time, leaves. @returns false if nothing runs */
  interrupt(): boolean
  /** Continues a conversation. */
  open(conversationId: string): Promise<void>
  /** Stops reading. Runs continue on the server. */
  close(): void
}

/** What the controller works with. */
interface ChatControllerOptions {
  readonly client: AgentsClient
  readonly agentId: string
  readonly screen: ChatScreen
  /** Ends the program. */
  readonly quit: () => void
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

export function createChatController(options: ChatControllerOptions): ChatController {
  const { client, agentId, screen, quit, now = Date.now } = options
  let files: readonly LoadedFile[] = []
  let isConnected = true
  const onTurn = screen.showTurn
  const onConnection = (connected: boolean) => {
    isConnected = connected
    showStatus()
  }
  const session = createChatSession({
    client,
    agentId,
    listener: { onConnection, onTurn: (turn) => (onTurn(turn), showStatus()) },
  })
  const worker = createChatWorker({
    session,
    screen,
    onChange: showStatus,
    onUnsent(message) {
      files = message.files
      screen.restoreInput(message.text)
    },
  })
  const approvals = createChatApprovals(session, screen)
  const places = createChatPlaces({ client, session, screen, worker, now })

  function showStatus(): void {
    const { isBusy, isStopping } = session
    if (!isBusy) isConnected = true
    const { waiting, isDetailed } = approvals
    const names = files.map(({ name }) => name)
    const hasBegun = session.turn?.runId !== undefined
    const connection = { isConnected, hasBegun }
    const status = { agentId: session.agentId, isBusy, isStopping, ...connection, waiting, isDetailed }
    screen.showStatus({ ...status, files: names, queued: worker.queued })
  }

  /** Shows why something failed, and continues. */
  async function attempt(act: () => Promise<void> | void): Promise<void> {
    try {
      await act()
    } catch (error) {
      screen.showError(toFailure(error).message)
    }
    showStatus()
  }

  async function stop(): Promise<void> {
    if (!session.isBusy) return screen.showNote('Nothing to stop: the agent is not working.')
    worker.clear()
    await session.stop()
  }

  async function attach(paths: readonly string[]): Promise<void> {
    const more = [...files, ...(await loadFiles(paths))]
    checkFiles(more)
    files = more
  }

  const commands = createCommands({ approvals, places, screen, stop, quit })

  async function act(typed: string): Promise<void> {
    const given = parseInput(typed)
    if (given.kind === 'message') {
      const message = { text: given.text, files }
      files = []
      worker.say(message)
    } else if (given.kind === 'files') await attach(given.paths)
    else if (given.kind === 'command') await commands[given.name](given.argument)
    else if (given.kind === 'unknown') screen.showNote(toUnknown(given.name))
  }

  showStatus()
  return {
    get agentId() {
      return session.agentId
    },
    get conversationId() {
      return session.conversationId
    },
    input: (typed) => attempt(() => act(typed)),
    decide(key) {
      if (approvals.waiting === undefined) return false
      const command = { y: commands.approve, n: commands.deny, d: commands.details }[key]
      void attempt(() => command(''))
      return true
    },
    interrupt() {
      if (!session.isBusy) return false
      if (session.isStopping) quit()
      else void attempt(stop)
      return true
    },
    open: (id) => attempt(() => places.open(id)),
    close: () => session.close(),
  }
}

const toUnknown = (name: string) =>
  `There is no command /${name}. See /help; to send it as text, write //${name}.`

/** What commands act on. */
interface CommandTargets extends Pick<ChatControllerOptions, 'screen' | 'quit'> {
  readonly approvals: ChatApprovals
  readonly places: ChatPlaces
  readonly stop: () => Promise<void>
}

type Commands = Readonly<Record<ChatCommandName, (argument: string) => Promise<void> | void>>

function createCommands({ approvals, places, screen, stop, quit }: CommandTargets): Commands {
  return {
    agent: places.agent,
    history: places.history,
    new: places.startNew,
    stop,
    approve: () => approvals.decide({ decision: 'approve' }),
    deny: (reason) =>
      approvals.decide({ decision: 'deny', ...(reason !== '' && { reason: reason.slice(0, 2000) }) }),
    details: approvals.toggleDetails,
    file: () => screen.showNote('Name a file: /file <path>. You can also drop files on the terminal.'),
    help: () => screen.showNote(helpText),
    quit,
  }
}

const commandLines = chatCommands.map(({ name, argument, summary }) => {
  return `/${[name, argument].filter(Boolean).join(' ')}: ${summary}`
})

/** What `/help` shows. Short lines: a terminal may have 40 columns. */
const helpText = [
  ...commandLines,
  '',
  'Enter sends. Alt+Enter, or a backslash before Enter, starts a new line.',
  'Up and down arrow: earlier messages. Tab: completes commands and paths.',
  'Drop a file on the terminal, then press Enter, to attach it.',
  'Ctrl+C stops the answer; without one, it leaves.',
  'Start with // to send a text that begins with a slash.',
].join('\n')

/** The call that waits for the person, and what they decide about it. */
interface ChatApprovals {
  /** The first call that waits. */
  readonly waiting: ApprovalPart | undefined
  /** Whether its arguments are shown whole. */
  readonly isDetailed: boolean
  decide(decision: ApprovalDecision): Promise<void>
  /** Shows the arguments whole, or on one line again. */
  toggleDetails(): void
}

function createChatApprovals(session: ChatSession, screen: ChatScreen): ChatApprovals {
  let detailedId: string | undefined
  const find = () => (session.isBusy && session.turn ? waitingApprovals(session.turn)[0] : undefined)
  const nothing = () => screen.showNote('No call waits for a decision.')
  return {
    get waiting() {
      return find()
    },
    get isDetailed() {
      return detailedId !== undefined && detailedId === find()?.id
    },
    async decide(decision) {
      const call = find()
      if (call === undefined) return nothing()
      try {
        await session.decide(call, decision)
      } catch (error) {
        if (!ClientError.is(error) || error.status !== 409) throw error
        screen.showNote('The call has been decided before.')
      }
    },
    toggleDetails() {
      const call = find()
      if (call === undefined) return nothing()
      detailedId = detailedId === call.id ? undefined : call.id
    },
  }
}
