import { Button } from '../../components/buttons/button.tsx'
import { TextArea } from '../../components/fields/text-area.tsx'
import { Card } from '../../components/layout/card.tsx'

/** The value of the button that creates the agent and sends it the message. */
export const sendValue = 'send'

/** What a {@link NewAgentTest} takes. */
export interface NewAgentTestProps {
  /** Id of the form that creates the agent. */
  readonly formId: string
  readonly isPending: boolean
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A first message, beside the form of a new agent. Only an agent that is saved runs, so it is created first. */
export function NewAgentTest({ formId, isPending, text, onChange }: NewAgentTestProps) {
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
