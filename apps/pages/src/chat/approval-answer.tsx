import type { ApprovalDecision, Json, JsonObject } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'

const scopes = [
  { value: 'once', label: 'This call only' },
  { value: 'conversation', label: 'The same call in this conversation' },
  { value: 'agent', label: 'The same call of this agent' },
] as const

type Scope = (typeof scopes)[number]['value']

interface ApprovalAnswerProps {
  readonly args: Json
  readonly onAnswer: (decision: ApprovalDecision) => void
  /** While an answer is on its way. */
  readonly isDisabled: boolean
}

/** The ways to decide about a call: as it is, with other arguments, or by a response in place of the tool. */
export function ApprovalAnswer({ args, onAnswer, isDisabled }: ApprovalAnswerProps) {
  const [mode, setMode] = useState<'decide' | 'change' | 'respond'>('decide')
  const [scope, setScope] = useState<Scope>('once')
  const cancel = () => setMode('decide')
  const send = (decision: ApprovalDecision) =>
    onAnswer(scope === 'once' ? decision : { ...decision, remember: scope })
  const shared = { onAnswer: send, onCancel: cancel, isDisabled }
  return (
    <div className="stack" data-gap="small">
      {mode === 'change' && <ChangedArguments {...shared} args={args} />}
      {mode === 'respond' && <Response {...shared} />}
      {mode === 'decide' && (
        <Decision {...shared} onChange={() => setMode('change')} onRespond={() => setMode('respond')} />
      )}
      <SelectField
        label="Applies to"
        options={scopes}
        value={scope}
        onChange={setScope}
        isDisabled={isDisabled}
      />
    </div>
  )
}

interface FormProps {
  readonly onAnswer: (decision: ApprovalDecision) => void
  readonly onCancel: () => void
  readonly isDisabled: boolean
}

interface DecisionProps extends Pick<FormProps, 'onAnswer' | 'isDisabled'> {
  readonly onChange: () => void
  readonly onRespond: () => void
}

function Decision({ onAnswer, isDisabled, onChange, onRespond }: DecisionProps) {
  const [reason, setReason] = useState('')
  const given = reason.trim() === '' ? {} : { reason: reason.trim() }
  return (
    <div className="row" data-align="end">
      <div className="grow chat-approval-reason">
        <TextField
          label="Reason (the agent reads it)"
          value={reason}
          onChange={setReason}
          maxLength={2000}
          isDisabled={isDisabled}
        />
      </div>
      {/* Not pending ones: React Aria would go on naming buttons that are gone by then. */}
      <Button
        variant="primary"
        isDisabled={isDisabled}
        onPress={() => onAnswer({ decision: 'approve', ...given })}
      >
        Approve
      </Button>
      <Button isDisabled={isDisabled} onPress={() => onAnswer({ decision: 'deny', ...given })}>
        Deny
      </Button>
      <Button isDisabled={isDisabled} onPress={onChange}>
        Change arguments
      </Button>
      <Button isDisabled={isDisabled} onPress={onRespond}>
        Respond
      </Button>
    </div>
  )
}

function ChangedArguments({ args, onAnswer, onCancel, isDisabled }: FormProps & { readonly args: Json }) {
  const [text, setText] = useState(() => JSON.stringify(args, undefined, 2))
  const [problem, setProblem] = useState<string>()
  const approve = () => {
    const parsed = parseArguments(text)
    if ('problem' in parsed) setProblem(parsed.problem)
    else onAnswer({ decision: 'approve', args: parsed.args })
  }
  return (
    <>
      <TextArea
        label="Arguments (JSON)"
        value={text}
        onChange={setText}
        errorMessage={problem}
        isDisabled={isDisabled}
        isCode
        rows={6}
      />
      <div className="row">
        <Button variant="primary" isDisabled={isDisabled} onPress={approve}>
          Approve changed arguments
        </Button>
        <Button isDisabled={isDisabled} onPress={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  )
}

function Response({ onAnswer, onCancel, isDisabled }: FormProps) {
  const [text, setText] = useState('')
  return (
    <>
      <TextArea
        label="Response"
        description="The agent reads it as the result of the tool, which is not called."
        value={text}
        onChange={setText}
        maxLength={100_000}
        isDisabled={isDisabled}
      />
      <div className="row">
        <Button
          variant="primary"
          isDisabled={isDisabled || text.trim() === ''}
          onPress={() => onAnswer({ decision: 'respond', text })}
        >
          Send response
        </Button>
        <Button isDisabled={isDisabled} onPress={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  )
}

/** Reads the arguments that a person typed. `problem` says what is wrong with them. */
export function parseArguments(text: string): { readonly args: JsonObject } | { readonly problem: string } {
  try {
    const given: unknown = JSON.parse(text)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return { problem: 'The arguments must be one JSON object.' }
    }
    return { args: given as JsonObject } // what JSON.parse gives is JSON
  } catch {
    return { problem: 'The arguments are not valid JSON. Check commas, quotes and brackets.' }
  }
}
