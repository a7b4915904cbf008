import type { AgentTemplate, Agent, AgentPatch } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { usePlatformQuery } from '../api/platform.ts'
import { SelectField } from '../components/fields/select-field.tsx'
import { Card } from '../components/layout/card.tsx'
import { Notice } from '../components/states/notice.tsx'
import { type AgentDraft, toDraft } from './agent-draft.ts'

/** What a {@link TemplateChoice} takes. */
export interface TemplateChoiceProps {
  readonly draft: AgentDraft
  readonly onChange: (draft: AgentDraft) => void
}

const none = ''

/** An agent to begin with. What is written already of the model and the id stays. */
export function TemplateChoice({ draft, onChange }: TemplateChoiceProps) {
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
