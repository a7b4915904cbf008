import { useLocation } from 'wouter'
import { usePlatformMutation } from '../../api/platform.ts'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { toInput } from './agent-draft.ts'
import { AgentForm } from './agent-form.tsx'
import { useAgentForm } from './use-agent-form.ts'

/** Creates an agent. */
export function NewAgentPage() {
  const form = useAgentForm(undefined)
  const [, navigate] = useLocation()
  const create = usePlatformMutation('createAgent', {
    invalidates: ['listAgents', 'listSchedules'],
    onSuccess({ agent }) {
      form.settle(agent)
      showToast({ title: `${agent.name ?? agent.id} is there` })
      navigate(`/agents/${agent.id}`)
    },
  })
  return (
    <>
      <PageHeader title="New agent" back={{ href: '/agents', label: 'Agents' }} />
      <AgentForm
        form={form}
        isNew
        isPending={create.isPending}
        error={create.error}
        onSave={() => create.mutate({ body: toInput(form.send()) })}
      />
    </>
  )
}
