import type { ChatWork } from '../../store/ports/channel-chat.ts'

/** What a command may know about its chat. */
export interface CommandContext {
  /** Id of the agent that answers in this chat. */
  readonly agentId: string
  readonly findWork: () => Promise<ChatWork>
}

/** What a command does, and what the person reads. */
export interface CommandOutcome {
  /** In Markdown. */
  readonly answer: string
  /** Begins a new conversation for the chat. */
  readonly begins?: true
  /** Cancels this task. */
  readonly cancelsTask?: string
}

interface ChatCommand {
  /** What `/help` says about it. */
  readonly help: string
  run(context: CommandContext): Promise<CommandOutcome>
}

/** What a person can write instead of a task, by its word without the slash. */
const commands: Readonly<Record<string, ChatCommand>> = {
  new: {
    help: 'start a new conversation',
    run: async () => ({ answer: 'Started a new conversation.', begins: true }),
  },
  stop: {
    help: 'stop the current task',
    async run({ findWork }) {
      const { task, count } = await findWork()
      if (!task) return { answer: 'Nothing is running.' }
      const rest = count > 1 ? ` Messages that still wait: ${count - 1}. They are next.` : ''
      return { answer: `Stopping the current task.${rest}`, cancelsTask: task.id }
    },
  },
  status: {
    help: 'show what the agent is doing',
    async run({ agentId, findWork }) {
      const { task, count } = await findWork()
      return { answer: `Agent: ${agentId}\n\nNow: ${describe(task, count)}` }
    },
  },
  help: {
    help: 'show these commands',
    run: async () => ({
      answer: Object.entries(commands)
        .map(([name, { help }]) => `- /${name}: ${help}`)
        .join('\n'),
    }),
  },
}

function describe(task: ChatWork['task'], count: number): string {
  if (!task) return 'idle'
  const state = task.parked ? 'waiting for an approval' : 'working on a task'
  return count > 1 ? `${state}, messages that wait: ${count - 1}` : state
}

/** The command that a text is; undefined for a text that goes to the agent, such as `/start` or `/new car`. */
export function findCommand(text: string): ChatCommand['run'] | undefined {
  const word = /^\/([a-z]+)$/i.exec(text.trim())?.[1]?.toLowerCase()
  return word !== undefined && Object.hasOwn(commands, word) ? commands[word]?.run : undefined
}
