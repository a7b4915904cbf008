import { Circle, CircleCheck } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { keepMessage, messagePlace } from '../../chat/kept-messages.ts'
import { usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../../components/buttons/button.tsx'
import { ModelChoice } from '../../components/agents/model-choice.tsx'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { Notice } from '../../components/states/notice.tsx'
import './checklist.css'
import { ConnectModel } from './connect-model.tsx'
import type { FirstStep } from './use-first-steps.ts'
import { hideChecklist } from './use-first-steps.ts'
import type { useFirstSteps } from './use-first-steps.ts'

const texts: Readonly<Record<FirstStep, { readonly title: string; readonly text: string }>> = {
  model: {
    title: 'Connect a model',
    text: 'Until then, a built-in test model replies. It calls one tool and understands nothing else.',
  },
  hello: { title: 'Say hello', text: 'Send an agent a message, and read the reply of a real model.' },
  device: { title: 'Add a second device', text: 'Done when the device sends its first heartbeat.' },
  automation: { title: 'Automate something', text: 'Give an agent a schedule, such as every weekday at 9.' },
}

/** The first four steps, each done once it has really happened. */
export function Checklist({ known }: { readonly known: NonNullable<ReturnType<typeof useFirstSteps>> }) {
  const { steps, done, problems } = known
  const open = steps.filter((step) => !done[step])
  const isDone = open.length === 0
  useEffect(() => {
    if (isDone) hideChecklist()
  }, [isDone])
  if (isDone) return null
  return (
    <Card
      title="First steps"
      actions={
        <Button variant="quiet" onPress={hideChecklist}>
          Hide the steps
        </Button>
      }
    >
      <p className="muted">
        {steps.length - open.length} of {steps.length} done
      </p>
      <ol className="checklist">
        {steps.map((step) => (
          <li key={step} className="checklist-step" data-done={done[step] || undefined}>
            {done[step] ? <CircleCheck aria-hidden /> : <Circle aria-hidden />}
            <div className="stack grow" data-gap="small">
              <h3>
                {texts[step].title}
                {done[step] && <span className="visually-hidden"> (done)</span>}
              </h3>
              {!done[step] && (
                <>
                  <p className="muted">{texts[step].text}</p>
                  <StepAction step={step} problems={problems} />
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}

interface StepActionProps {
  readonly step: FirstStep
  readonly problems: readonly { readonly provider: string; readonly message: string }[]
}

function StepAction({ step, problems }: StepActionProps): ReactNode {
  if (step === 'model') {
    return (
      <>
        {problems.map(({ provider, message }) => (
          <Notice key={provider} tone="warn">
            {provider}: {message}
          </Notice>
        ))}
        <ConnectModel />
      </>
    )
  }
  if (step === 'hello') return <HelloLink />
  const { href, label } =
    step === 'device'
      ? { href: '/add', label: 'Add a device' }
      : { href: '/schedules', label: 'Open the schedules' }
  return (
    <div className="row">
      <LinkButton href={href}>{label}</LinkButton>
    </div>
  )
}

function HelloLink() {
  const agents = usePlatformQuery('listAgents').data?.agents ?? []
  const agent = agents.find(({ id }) => id === 'demo') ?? agents[0]
  const href = agent ? `/chat/${encodeURIComponent(agent.id)}` : '/agents/_new'
  return (
    <div className="row" data-align="end">
      {agent && <ModelChoice agent={agent} label={`${agent.name ?? agent.id} uses`} />}
      <LinkButton
        href={href}
        onPress={() => {
          if (agent) keepMessage(messagePlace(agent.id, undefined), 'Hello! What can you do for me?')
        }}
      >
        {agent ? `Talk to ${agent.name ?? agent.id}` : 'Create an agent'}
      </LinkButton>
    </div>
  )
}
