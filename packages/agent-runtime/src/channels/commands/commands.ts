import type { ApprovalNotices } from '../approvals/create-approval-notices.ts'
import { decideInChat, parseDecision } from './decide-command.ts'
import { linkInChat, parseLink, type LinkContext } from './link-command.ts'
import type { SenderLink } from '../../store/ports/channel-sender.ts'
import type { NoticeStep } from '../../store/ports/approval-notice.ts'
import type { GivenAnswer } from '../questions/answer-question.ts'
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
  /** Gives the person's answer to the oldest question of the chat. */
  readonly answer: (given: GivenAnswer) => Promise<CommandOutcome>
  /** Whether a question waits in the chat. */
  readonly hasQuestion: boolean
  readonly approvals: Pick<ApprovalNotices, 'find' | 'decide'>
  readonly links: LinkContext
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
  /** Links the sender to a user. */
  readonly links?: SenderLink
  /** Cancels this task. */
  readonly cancelsTask?: string
  /** What happens to a question. */
  readonly step?: NoticeStep
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
    async run({ agentId, findWork, hasQuestion }) {
      const { task, count } = await findWork()
      return { answer: `Agent: ${agentId}\n\nNow: ${describe(task, count, hasQuestion)}` }
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
  skip: {
    help: 'decline to answer a question',
    run: ({ answer }) => answer({ kind: 'skip' }),
  },
  agent: {
    help: 'list the agents; /agent ID chooses the agent that answers here',
    run: (context) => chooseAgent(undefined, context),
  },
  link: {
    help: 'use the agent as one person on several channels: /link gives a code, /link CODE on the other channel takes it',
    run: (context) => linkInChat({ kind: 'offer' }, context),
  },
  unlink: {
    help: 'separate this chat from your other channels',
    run: (context) => linkInChat({ kind: 'leave' }, context),
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

function describe(task: ChatWork['task'], count: number, hasQuestion: boolean): string {
  if (!task) return 'idle'
  const waiting = hasQuestion ? 'waiting for an answer' : 'waiting for an approval'
  const state = task.parked ? waiting : 'working on a task'
  return count > 1 ? `${state}, messages waiting: ${count - 1}` : state
}

/** The command that a text is; undefined for a text that goes to the agent, such as `/start` or `/new car`. */
export function findCommand(text: string): ChatCommand['run'] | undefined {
  const decision = parseDecision(text)
  if (decision) return (context) => decideInChat(decision, context)
  const link = parseLink(text)
  if (link) return (context) => linkInChat(link, context)
  const option = parseOption(text)
  if (option) return ({ answer }) => answer({ kind: 'option', ...option })
  const choice = parseAgentChoice(text)
  if (choice) return (context) => chooseAgent(choice.agentId, context)
  const word = /^\/([a-z]+)$/i.exec(text.trim())?.[1]?.toLowerCase()
  return word !== undefined && Object.hasOwn(commands, word) ? commands[word]?.run : undefined
}

const notAllowed = 'You are not allowed to choose the agent. Ask the operator to allow you.'

/** Reads `/answer CODE 2`, which a button sends. */
function parseOption(text: string): { readonly code: string; readonly number: number } | undefined {
  const found = /^\/answer\s+([a-z\d]{8})\s+(\d{1,3})$/i.exec(text.trim())
  const [, code = '', number] = found ?? []
  return found ? { code: code.toUpperCase(), number: Number(number) } : undefined
}

/** Most agents that one reply lists. */
const maxListed = 50

/** Reads `/agent` and `/agent ID`. Any other text after the word goes to the agent. */
function parseAgentChoice(text: string): { readonly agentId: string | undefined } | undefined {
  const found = /^\/agent(?:\s+(\S{1,64}))?$/i.exec(text.trim())
  return found ? { agentId: found[1] } : undefined
}

/** Lists the agents, or lets another one answer in the chat. A person who may not choose changes nothing. */
async function chooseAgent(
  wanted: string | undefined,
  { agentId, person, routes }: CommandContext,
): Promise<CommandOutcome> {
  if (!person.isTrusted) return { answer: notAllowed }
  const agents = await routes.agents()
  const lines = agents.slice(0, maxListed).map(({ id, name }) => `- \`${id}\`${name ? `: ${name}` : ''}`)
  const more = agents.length > maxListed ? `\n\n${agents.length - maxListed} more are not listed.` : ''
  const list = `${lines.join('\n')}${more}\n\nChoose one: /agent ID`
  if (wanted === undefined) return { answer: `Agent: \`${agentId}\`\n\n${list}` }
  if (!agents.some(({ id }) => id === wanted)) return { answer: `No agent has this id.\n\n${list}` }
  if (wanted === agentId) return { answer: `Agent \`${wanted}\` already answers here.` }
  if (!(await routes.hasRoom())) return { answer: 'The channel has too many routes. Ask the operator.' }
  return { answer: `From now on agent \`${wanted}\` answers here.`, routesTo: wanted }
}
