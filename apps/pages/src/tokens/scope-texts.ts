import type { AccessToken } from '@homeward/contract/agent-platform'
import type { RightText } from './token-form.tsx'

type Scope = AccessToken['scopes'][number]

/** What a token may do, in the words of the page. */
export const scopeTexts: Readonly<Record<Scope, RightText>> = {
  read: { label: 'Read', description: 'See agents, runs, conversations, memories and usage.' },
  run: { label: 'Run', description: 'Run agents and graphs, create tasks, and send messages.' },
  approve: { label: 'Approve', description: 'Approve or deny tool calls that wait for a person.' },
  admin: {
    label: 'Admin',
    description: 'Everything, including changes to agents, skills, settings, tokens and MCP servers.',
  },
}
