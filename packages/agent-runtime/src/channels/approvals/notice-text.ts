import { isElicitation } from '../../ports/user-logins.ts'
import type { Approval } from '@homeward/contract/agent-platform'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { StoredApprovalNotice } from '../../store/ports/approval-notice.ts'
import { withoutNamedSecrets } from '../../secrets/redact.ts'
import { cut } from '../../json/to-json.ts'

const maxArgumentChars = 1200
const maxToolChars = 100
const maxNamed = 200

/** A tool's name in Markdown. */
const toolText = ({ tool = '' }: Pick<StoredWait, 'tool'>) =>
  `\`${cut(tool, maxToolChars).replaceAll('`', '')}\``

/** What announces a call, in Markdown. */
export function announcementText(approval: Approval, code: string, showsArguments: boolean): string {
  const ask = `The agent needs an approval to call ${toolText(approval)}.`
  const how = `Write \`/approve ${code}\` or \`/deny ${code}\`.`
  return showsArguments ? `${ask}\n\n${argumentsText(approval)}\n\n${how}` : `${ask}\n\n${how}`
}

function argumentsText({ args }: Approval): string {
  const text = JSON.stringify(withoutNamedSecrets(args), undefined, 2).replaceAll('```', "'''")
  const shown = text.length > maxArgumentChars ? `${cut(text, maxArgumentChars)}…` : text
  return `\`\`\`json\n${shown}\n\`\`\``
}

/** What became of a call, in Markdown. */
export function decidedText(approval: Approval): string {
  const tool = toolText(approval)
  if (approval.status === 'approved') {
    return approval.edited_args ? `Approved with changed arguments: ${tool}` : `Approved: ${tool}`
  }
  if (approval.status === 'responded') return `Answered by a person in place of ${tool}`
  if (approval.decided_by === 'timeout') return `Denied, because nobody decided in time: ${tool}`
  return `Denied: ${tool}`
}

/** What asks a person to log in to a server, in Markdown. */
export const loginText = ({ key, message = '', url = '' }: StoredWait) =>
  isElicitation({ key })
    ? `${message}\n\n[Open the page](<${url}>), then write any message to continue.`
    : `${message}\n\n[Log in](<${url}>)`

/** How the wait for a login ended, in Markdown. */
export function loginEndedText(wait: StoredWait): string {
  const { status, key = '', settledBy, userId } = wait
  if (isElicitation(wait)) return endedText(wait)
  if (status === 'answered' && settledBy === userId) return `You are logged in to "${key}".`
  return status === 'expired' ? `Nobody logged in to "${key}" in time.` : 'This link is no longer valid.'
}

/** How a question ended that its chat did not answer, in Markdown. */
export function endedText({ status, message = '' }: StoredWait): string {
  const name = cut(message, maxNamed)
  if (status === 'answered') return `Answered elsewhere: ${name}`
  if (status === 'declined') return `Declined elsewhere: ${name}`
  return status === 'expired' ? `Nobody answered in time: ${name}` : `No longer needed: ${name}`
}

/** What a person reads who writes while calls or logins wait, in Markdown. */
export function waitingText(notices: readonly StoredApprovalNotice[]): string {
  const logins = notices.filter(({ wait }) => wait.kind === 'login')
  const calls = notices.filter((notice) => !logins.includes(notice))
  const intro = calls.length === 1 ? 'This call waits for an approval:' : 'These calls wait for an approval:'
  const isOver = calls.length > 0 ? 'the decision' : 'the login'
  const message = `Your message was not sent to the agent and is not stored. Send it again after ${isOver}.`
  const parts = [
    ...logins.map(({ wait }) => loginText(wait)),
    ...(calls.length > 0 ? [intro, listText(calls)] : []),
  ]
  return [...parts, message].join('\n\n')
}

/** Calls that wait, with how to decide about them, in Markdown. */
export const listText = (notices: readonly StoredApprovalNotice[]) =>
  notices.map(({ wait, code }) => `- ${toolText(wait)}: \`/approve ${code}\` or \`/deny ${code}\``).join('\n')
