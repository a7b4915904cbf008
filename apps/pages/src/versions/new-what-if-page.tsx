import type { Agent, AgentPatch } from '@homeward/contract/agent-platform'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { useLocation, useParams } from 'wouter'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Button } from '../components/buttons/button.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import '../components/layout/bare-list.css'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { labelOfField } from './agent-changes.tsx'
import { keepWhatIf, readRecentWhatIfs } from './recent-what-ifs.ts'

const agents = { href: '/agents', label: 'Agents' }
/** Ids of chosen runs, with commas. */
const noRuns = { runs: '' }

/** Asks what stored runs would have become with a changed agent. `runs` in the address chooses them. */
export function NewWhatIfPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('getAgent', { params: { id } })
  const name = query.data?.agent.name ?? id
  return (
    <>
      <PageHeader
        title={`Try a change of ${name}`}
        description="Plays runs that have ended again, with the changed agent, and compares the answers. The agent itself stays as it is."
        back={{ href: `/agents/${id}`, label: name }}
      />
      <QueryView query={query} isFresh missing={<MissingState kind="agent" id={id} list={agents} />}>
        {({ agent }) => (
          <>
            <WhatIfForm key={agent.id} agent={agent} />
            <RecentWhatIfs agentId={agent.id} />
          </>
        )}
      </QueryView>
    </>
  )
}

const toolChoices = [
  { value: 'all', label: 'All tools of its skills, and the built-in tools' },
  { value: 'some', label: 'Only the tools listed here' },
] as const

function WhatIfForm({ agent }: { readonly agent: Agent }) {
  const [, navigate] = useLocation()
  const [{ runs: chosen }] = useAddressFilter(noRuns)
  const runs = chosen === '' ? [] : chosen.split(',')
  const [last, setLast] = useState(20)
  const [model, setModel] = useState(agent.model)
  const [personality, setPersonality] = useState(agent.personality ?? '')
  const [tools, setTools] = useState<readonly string[] | undefined>(agent.tools)
  const models = usePlatformQuery('listModels').data?.models ?? []
  const changes: AgentPatch = {
    ...(model.trim() !== agent.model && { model: model.trim() }),
    ...(personality !== (agent.personality ?? '') && { personality }),
    ...(JSON.stringify(tools) !== JSON.stringify(agent.tools) && { tools: tools ? [...tools] : null }),
  }
  const changed = Object.keys(changes)
  const start = usePlatformMutation('startWhatIf', {
    onSuccess({ what_if: { id } }) {
      const title = changed.length === 0 ? 'No change' : changed.map(labelOfField).join(', ')
      keepWhatIf({ id, agentId: agent.id, startedAt: new Date().toISOString(), title })
      navigate(`/what-ifs/${encodeURIComponent(id)}`)
    },
  })
  const { fields, rest } = toFieldErrors(start.error, [
    'changes.model',
    'changes.personality',
    'changes.tools',
  ])

  return (
    <SubmitForm
      error={start.error}
      onSubmit={() =>
        start.mutate({
          params: { id: agent.id },
          body: { changes, ...(runs.length > 0 ? { runs } : { last: Number.isNaN(last) ? 20 : last }) },
        })
      }
    >
      <Notice>
        No tool is called: a call gets the result that was recorded then. The model is called, and its cost
        counts against the budget of the agent.
      </Notice>
      <Card title="What changes">
        <SuggestField
          label="Model"
          value={model}
          onChange={setModel}
          suggestions={models.map(({ id }) => id)}
          errorMessage={fields['changes.model']}
          placeholder="provider/model"
        />
        <TextArea
          label="Instructions"
          value={personality}
          onChange={setPersonality}
          rows={8}
          maxLength={100_000}
          errorMessage={fields['changes.personality']}
        />
        <ToolsChoice agent={agent} tools={tools} onChange={setTools} problem={fields['changes.tools']} />
      </Card>
      <RunChoice agentId={agent.id} chosen={runs.length} last={last} onLast={setLast} />
      {rest && <ErrorState error={rest} isInline />}
      <div className="row">
        <Button
          type="submit"
          variant="primary"
          icon={<FlaskConical aria-hidden />}
          isPending={start.isPending}
        >
          Compare
        </Button>
        {changed.length === 0 && (
          <span className="muted small">
            Nothing is changed: this shows how much the answers of the same agent differ.
          </span>
        )}
      </div>
    </SubmitForm>
  )
}

interface ToolsChoiceProps {
  readonly agent: Agent
  /** Undefined: all of them. */
  readonly tools: readonly string[] | undefined
  readonly onChange: (tools: readonly string[] | undefined) => void
  readonly problem: string | undefined
}

function ToolsChoice({ agent, tools, onChange, problem }: ToolsChoiceProps) {
  return (
    <>
      <SelectField
        label="Tools"
        options={toolChoices}
        value={tools === undefined ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? undefined : (agent.tools ?? []))}
        {...(tools === undefined && { errorMessage: problem })}
      />
      {tools !== undefined && (
        <TokenField label="Available tools" values={tools} onChange={onChange} errorMessage={problem} />
      )}
    </>
  )
}

interface RunChoiceProps {
  readonly agentId: string
  /** Runs that the address names. */
  readonly chosen: number
  /** Of the newest ones, where it names none. */
  readonly last: number
  readonly onLast: (last: number) => void
}

function RunChoice({ agentId, chosen, last, onLast }: RunChoiceProps) {
  return (
    <Card title="Which runs">
      {chosen > 0 ? (
        <p>
          {chosen === 1 ? 'The run that you chose.' : `The ${chosen} runs that you chose.`}{' '}
          <Link href={`/agents/${agentId}/what-if`}>Take the newest runs instead</Link>
        </p>
      ) : (
        <NumberField
          label="How many of the newest runs"
          value={last}
          onChange={onLast}
          minValue={1}
          maxValue={200}
          description="Runs that have ended. To choose single ones, select them in Activity."
        />
      )}
    </Card>
  )
}

function RecentWhatIfs({ agentId }: { readonly agentId: string }) {
  const recent = readRecentWhatIfs(agentId)
  if (recent.length === 0) return null
  return (
    <Card title="Started in this browser">
      <ul className="bare-list">
        {recent.map(({ id, startedAt, title }) => (
          <li key={id}>
            <Link href={`/what-ifs/${encodeURIComponent(id)}`}>{title}</Link>{' '}
            <span className="muted small">
              <RelativeTime value={startedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
