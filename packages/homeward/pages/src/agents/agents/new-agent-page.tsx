import type { Agent } from '@homeward/contract/agent-platform'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { createOnce } from '../../api/create-once.ts'
import { platform } from '../../api/platform.ts'
import { refresh } from '../../api/refresh.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { type AgentDraft, toDraft, toInput } from './agent-draft.ts'
import { AgentForm } from './agent-form.tsx'
import { TemplateChoice } from './template-choice.tsx'
import { useAgentForm } from './use-agent-form.ts'

/** Creates an agent. */
export function NewAgentPage() {
  const form = useAgentForm(undefined)
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const { keyFor } = useIdempotencyKey()
  const create = useMutation({
    mutationFn: createAgent,
    onSuccess(agent) {
      form.settle(agent)
      showToast({ title: `${agent.name ?? agent.id} is there` })
      navigate(`/agents/${agent.id}`)
      for (const id of ['listAgents', 'listSchedules']) void refresh(queries, { queryKey: [id] })
    },
  })

  function save(): void {
    const draft = form.send()
    // Who chooses none gets one here, and the same for the same agent.
    create.mutate({ ...draft, id: draft.id || `agent-${keyFor(draft).slice(0, 12)}` })
  }

  return (
    <>
      <PageHeader title="New agent" back={{ href: '/agents', label: 'Agents' }} />
      <TemplateChoice draft={form.draft} onChange={form.change} />
      <AgentForm form={form} isNew isPending={create.isPending} error={create.error} onSave={save} />
    </>
  )
}

async function createAgent(draft: AgentDraft): Promise<Agent> {
  const { agent } = await createOnce({
    create: () => platform.createAgent({ body: toInput(draft) }),
    read: () => platform.getAgent({ params: { id: draft.id } }),
    wanted: toInput(draft),
    toWanted: (reply) => toInput(toDraft(reply.agent)),
  })
  return agent
}
