import type { Agent } from '@homeward/contract/agent-platform'
import { FlaskConical, History, MessageCircle, Trash2, Users } from 'lucide-react'
import { useLocation } from 'wouter'
import { usePlatformMutation } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { forgetDraft } from './kept-drafts.ts'

interface AgentMenuProps {
  readonly agent: Agent
  /** Whether the page is the agent's own, and has the links itself. @default false */
  readonly isOnPage?: boolean
}

/** Actions on an agent, behind "…". */
export function AgentMenu({ agent: { id, name = id }, isOnPage = false }: AgentMenuProps) {
  const [, navigate] = useLocation()
  const remove = usePlatformMutation('deleteAgent', { invalidates: ['listAgents', 'listSchedules'] })

  async function erase(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { id } }))
    forgetDraft(id)
    showToast({ title: `${name} deleted` })
    if (isOnPage) navigate('/agents')
  }

  return (
    <ActionMenu
      label={isOnPage ? 'More actions' : `Actions of ${name}`}
      actions={[
        !isOnPage && { label: 'Chat', icon: <MessageCircle aria-hidden />, href: `/chat/${id}` },
        !isOnPage && { label: 'Users', icon: <Users aria-hidden />, href: `/agents/${id}/users` },
        !isOnPage && { label: 'Versions', icon: <History aria-hidden />, href: `/agents/${id}/versions` },
        { label: 'Try a change', icon: <FlaskConical aria-hidden />, href: `/agents/${id}/what-if` },
        {
          label: 'Delete agent',
          icon: <Trash2 aria-hidden />,
          confirm: {
            title: `Delete ${name}?`,
            text: (
              <p>The agent and its schedule are deleted permanently. Its conversations and memories stay.</p>
            ),
            onConfirm: erase,
          },
        },
      ]}
    />
  )
}
