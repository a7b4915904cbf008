import type { StepPrompt as Prompt } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { usePlatformQuery } from '../../api/platform.ts'
import { LongText } from '../../chat/answer-text.tsx'
import { Disclosure } from '../../components/layout/disclosure.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { formatCount, toShownText } from '../../components/text/to-shown-text.ts'
import { StepValue } from './step-value.tsx'

/** Properties of {@link StepPrompt}. */
interface StepPromptProps {
  readonly runId: string
  /** Of a model call. */
  readonly stepId: string
}

/** The full prompt of one model call. It is read once somebody unfolds it. */
export function StepPrompt({ runId, stepId }: StepPromptProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Disclosure title="Full prompt" isExpanded={isOpen} onExpandedChange={setIsOpen}>
      {isOpen && <ReadPrompt runId={runId} stepId={stepId} />}
    </Disclosure>
  )
}

function ReadPrompt({ runId, stepId }: StepPromptProps) {
  const query = usePlatformQuery('listRunSteps', { params: { id: runId }, query: { prompt: stepId } })
  return (
    <QueryView query={query}>
      {({ steps }) => {
        const prompt = steps.find(({ id }) => id === stepId)?.prompt
        return prompt ? (
          <PromptView prompt={prompt} />
        ) : (
          <p className="muted">The prompt is no longer stored.</p>
        )
      }}
    </QueryView>
  )
}

function PromptView({ prompt }: { readonly prompt: Prompt }) {
  const { instructions, tools, messages, agent_version: version } = prompt
  return (
    <div className="stack" data-gap="small">
      <p className="muted small">
        {version === undefined
          ? 'Instructions of the agent as it is now: the version of this run is no longer stored.'
          : `Instructions of version ${version} of the agent. Tools are described as they are now.`}
      </p>
      <Disclosure title="Instructions" isDefaultExpanded>
        <LongText text={instructions} label="Instructions" />
      </Disclosure>
      <Disclosure title={counted(tools.length, 'tool')}>
        {tools.map(({ name, description = '', parameters = null }) => (
          <Disclosure key={name} title={name}>
            <div className="stack" data-gap="small">
              {description !== '' && <p className="small foreign">{description}</p>}
              <LongText text={toShownText(parameters)} label={`Parameters of ${name}`} />
            </div>
          </Disclosure>
        ))}
      </Disclosure>
      <Disclosure title={counted(messages.length, 'message')}>
        <StepValue title="Messages" value={messages} />
      </Disclosure>
    </div>
  )
}

const counted = (count: number, noun: string) =>
  count === 1 ? `1 ${noun}` : `${formatCount(count)} ${noun}s`
