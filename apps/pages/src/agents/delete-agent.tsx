import type { Agent } from '@homeward/contract/agent-platform'
import type { ReactElement } from 'react'
import { useLocation } from 'wouter'
import { usePlatformMutation } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { forgetDraft } from './kept-drafts.ts'

interface DeleteAgentProps {
  readonly agent: Agent
  readonly trigger: ReactElement
  /** Whether the page is the agent's own. */
  readonly leavesPage?: boolean
}

/** Asks, and deletes an agent. */
export function DeleteAgent({ agent, trigger, leavesPage = false }: DeleteAgentProps) {
  const [, navigate] = useLocation()
  const remove = usePlatformMutation('deleteAgent', { invalidates: ['listAgents', 'listSchedules'] })
  const name = agent.name ?? agent.id

  async function confirm(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { id: agent.id } }))
    forgetDraft(agent.id)
    showToast({ title: `${name} deleted` })
    if (leavesPage) navigate('/agents')
  }

  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirmLabel="Delete agent"
      onConfirm={confirm}
      trigger={trigger}
    >
      <p>The agent and its schedule are deleted permanently. Its conversations and memories stay.</p>
    </ConfirmDialog>
  )
}
