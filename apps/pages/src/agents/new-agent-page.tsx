import type { Agent, AgentTemplate, AgentPatch } from '@homeward/contract/agent-platform'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useLocation } from 'wouter'
import { createOnce } from '../api/create-once.ts'
import { platform, usePlatformQuery } from '../api/platform.ts'
import { refresh } from '../api/refresh.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { PageHeader } from '../components/layout/page-header.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { keepPendingQuestion } from '../chat/pending-questions.ts'
import './agent-edit.css'
import { type AgentDraft, toDraft, toInput } from './agent-draft.ts'
import { AgentForm } from './agent-form.tsx'
import { testOf } from './agent-test.tsx'
import { useAgentForm } from './use-agent-form.ts'
import { Button } from '../components/buttons/button.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { Card } from '../components/layout/card.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { Notice } from '../components/states/notice.tsx'

interface NewAgent {
  readonly draft: AgentDraft
  /** Sent to it once it is created. */
  readonly message: string | undefined
}

/** Creates an agent. */
export function NewAgentPage() {
  const form = useAgentForm(undefined)
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const { keyFor } = useIdempotencyKey()
  const formId = useId()
  const [test, setTest] = useState('')
  const create = useMutation({
    mutationFn: ({ draft }: NewAgent) => createAgent(draft),
    onSuccess(agent, { message }) {
      if (message !== undefined) keepPendingQuestion(testOf(agent.id), { task: message, files: [] })
      form.settle(agent)
      showToast({ title: `${agent.name ?? agent.id} created` })
      navigate(`/agents/${agent.id}`)
      for (const id of ['listAgents', 'listSchedules']) void refresh(queries, { queryKey: [id] })
    },
  })

  function save(value: string): void {
    const draft = form.send()
    // Who chooses none gets one here, and the same for the same agent.
    const id = draft.id || `agent-${keyFor(draft).slice(0, 12)}`
    create.mutate({ draft: { ...draft, id }, message: value === sendValue ? test : undefined })
  }

  return (
    <>
      <PageHeader title="New agent" back={{ href: '/agents', label: 'Agents' }} />
      <TemplateChoice draft={form.draft} onChange={form.change} />
      <div className="agent-edit">
        <AgentForm
          form={form}
          id={formId}
          isNew
          isPending={create.isPending}
          error={create.error}
          onSave={save}
        />
        <div className="agent-edit-test">
          <NewAgentTest formId={formId} isPending={create.isPending} text={test} onChange={setTest} />
        </div>
      </div>
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

/** The value of the button that creates the agent and sends it the message. */
const sendValue = 'send'

/** What a {@link NewAgentTest} takes. */
interface NewAgentTestProps {
  /** Id of the form that creates the agent. */
  readonly formId: string
  readonly isPending: boolean
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A first message, beside the form of a new agent. Only an agent that is saved runs, so it is created first. */
function NewAgentTest({ formId, isPending, text, onChange }: NewAgentTestProps) {
  return (
    <Card title="Test">
      <TextArea
        label="Test message"
        value={text}
        onChange={onChange}
        rows={2}
        maxLength={1_000_000}
        description="Sending creates the agent first. You can change or delete it afterwards."
      />
      <div className="row">
        <Button
          type="submit"
          form={formId}
          value={sendValue}
          isPending={isPending}
          isDisabled={text.trim() === ''}
        >
          Create and send
        </Button>
      </div>
    </Card>
  )
}

/** What a {@link TemplateChoice} takes. */
interface TemplateChoiceProps {
  readonly draft: AgentDraft
  readonly onChange: (draft: AgentDraft) => void
}

const none = ''

/** An agent to begin with. What is written already of the model and the id stays. */
function TemplateChoice({ draft, onChange }: TemplateChoiceProps) {
  const query = usePlatformQuery('listAgentTemplates')
  const [chosen, setChosen] = useState(none)
  const templates = query.data?.templates ?? []
  const template = templates.find(({ id }) => id === chosen)
  if (templates.length === 0) return null
  return (
    <Card>
      <SelectField
        label="Template"
        value={chosen}
        options={[
          { value: none, label: 'Empty agent' },
          ...templates.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(id) => {
          setChosen(id)
          onChange(draftOfTemplate(templates.find((each) => each.id === id)?.agent ?? {}, draft))
        }}
        description={
          template?.description ?? 'Fills in instructions, skills and limits. You can change everything.'
        }
      />
      {template && <Needs template={template} />}
    </Card>
  )
}

function Needs({ template }: { readonly template: AgentTemplate }) {
  const needs = template.needs.filter(({ kind }) => kind !== 'model')
  if (needs.length === 0) return null
  return (
    <Notice>
      <ul>
        {needs.map(({ kind, name, reason }) => (
          <li key={`${kind} ${name ?? ''}`}>
            {kind === 'device' ? 'A device' : `The ${kind} ${name ?? ''}`}: {reason}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

/** The form of a new agent that begins with a template, over what is written: its model and its id stay. */
export function draftOfTemplate(
  template: AgentPatch,
  { id, model, provider }: Pick<AgentDraft, 'id' | 'model' | 'provider'>,
): AgentDraft {
  const given = Object.entries(template).filter(([, value]) => value !== null && value !== undefined)
  // what a patch does not clear are fields of an agent
  const agent = { skills: [], ...Object.fromEntries(given), id, model } as unknown as Agent
  return { ...toDraft(agent), provider }
}
