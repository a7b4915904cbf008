import type { ApprovalNotices } from '../approvals/create-approval-notices.ts'
import { chooseAgent, parseAgentChoice } from './agent-command.ts'
import { decideInChat, parseDecision } from './decide-command.ts'
import type { ChatWork } from '../../store/ports/channel-chat.ts'

/** What a command may know about its chat. */
export interface CommandContext {
  /** Id of the agent that answers in this chat. */
  readonly agentId: string
  readonly findWork: () => Promise<ChatWork>
  readonly chat: string
  readonly person: {
    /** As `Approval.decided_by` names it. */
    readonly name: string
    /** Whether the operator has allowed the person, not only the group or everybody. */
    readonly isTrusted: boolean
    /** Whether the announcement of a call tells the person of the decision, so that no answer is needed. */
    readonly readsAnnouncement: boolean
  }
  readonly approvals: Pick<ApprovalNotices, 'find' | 'decide'>
  readonly routes: {
    /** All agents. */
    agents(): Promise<readonly { readonly id: string; readonly name?: string | undefined }[]>
    /** Whether the channel may have a route for the chat. */
    hasRoom(): Promise<boolean>
  }
}

/** What a command does, and what the person reads. */
export interface CommandOutcome {
  /** In Markdown. @default none */
  readonly answer?: string
  /** Begins a new conversation for the chat. */
  readonly begins?: true
  /** Lets this agent answer in the chat. */
  readonly routesTo?: string
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
      const rest = count > 1 ? ` Messages still waiting: ${count - 1}. The agent answers them next.` : ''
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
  approve: {
    help: 'approve a waiting call: /approve CODE',
    run: (context) => decideInChat({ decision: 'approve', code: undefined, reason: undefined }, context),
  },
  deny: {
    help: 'deny a waiting call: /deny CODE, with an optional reason',
    run: (context) => decideInChat({ decision: 'deny', code: undefined, reason: undefined }, context),
  },
  agent: {
    help: 'list the agents; /agent ID chooses the agent that answers here',
    run: (context) => chooseAgent(undefined, context),
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
  return count > 1 ? `${state}, messages waiting: ${count - 1}` : state
}

/** The command that a text is; undefined for a text that goes to the agent, such as `/start` or `/new car`. */
export function findCommand(text: string): ChatCommand['run'] | undefined {
  const decision = parseDecision(text)
  if (decision) return (context) => decideInChat(decision, context)
  const choice = parseAgentChoice(text)
  if (choice) return (context) => chooseAgent(choice.agentId, context)
  const word = /^\/([a-z]+)$/i.exec(text.trim())?.[1]?.toLowerCase()
  return word !== undefined && Object.hasOwn(commands, word) ? commands[word]?.run : undefined
}
