import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import type { AgentSectionProps } from './agent-topic.tsx'
import { AgentTopic } from './agent-topic.tsx'

const periods = [
  { value: 'run', label: 'Each run' },
  { value: 'day', label: 'Each day (UTC)' },
  { value: 'month', label: 'Each month (UTC)' },
] as const

const cacheTimes = [
  { value: '5m', label: '5 minutes' },
  { value: '1h', label: '1 hour' },
  { value: 'off', label: 'Off' },
] as const

const fields = ['limits', 'budget', 'prompt_cache']

/** What stops a run, and what it may cost. */
export function LimitsSection({ draft, onChange, errors, isFolded, summaries }: AgentSectionProps) {
  const topic = { errors, isFolded, summary: summaries?.limits }
  return (
    <AgentTopic title="Limits and budget" fields={fields} {...topic}>
      <div className="field-grid">
        <NumberField
          label="Turns"
          value={draft.max_turns}
          onChange={(max_turns) => onChange({ max_turns })}
          minValue={1}
          maxValue={1000}
          placeholder="10"
          description="Model calls in one run."
          errorMessage={errors['limits.max_turns'] ?? errors.limits}
        />
        <NumberField
          label="Output tokens"
          value={draft.max_tokens}
          onChange={(max_tokens) => onChange({ max_tokens })}
          minValue={1}
          maxValue={10_000_000}
          placeholder="no limit"
          description="Tokens that the model writes in one run."
          errorMessage={errors['limits.max_tokens']}
        />
        <NumberField
          label="Longest run in seconds"
          value={draft.max_runtime}
          onChange={(max_runtime) => onChange({ max_runtime })}
          minValue={0}
          maxValue={2_000_000}
          formatOptions={{ maximumFractionDigits: 3 }}
          placeholder="600"
          description={describeSeconds(draft.max_runtime)}
          errorMessage={errors['limits.max_runtime']}
        />
      </div>
      <div className="field-grid">
        <NumberField
          label="Budget in tokens"
          value={draft.budget_tokens}
          onChange={(budget_tokens) => onChange({ budget_tokens })}
          minValue={1}
          maxValue={1_000_000_000_000}
          placeholder="no budget"
          description="Input and output tokens together."
          errorMessage={errors['budget.max_tokens'] ?? errors.budget}
        />
        <NumberField
          label="Budget in US dollars"
          value={draft.budget_usd}
          onChange={(budget_usd) => onChange({ budget_usd })}
          minValue={0}
          maxValue={1_000_000}
          formatOptions={{ maximumFractionDigits: 4 }}
          placeholder="no budget"
          description="Calculated from the prices set on the server. Models without a price are blocked."
          errorMessage={errors['budget.max_usd']}
        />
        <SelectField
          label="The budget is for"
          options={periods}
          value={draft.budget_period}
          onChange={(budget_period) => onChange({ budget_period })}
          errorMessage={errors['budget.period']}
        />
        <NumberField
          label="Ask when this share is used, in percent"
          value={draft.budget_ask_at}
          onChange={(budget_ask_at) => onChange({ budget_ask_at })}
          minValue={0}
          maxValue={100}
          placeholder="never"
          description="The run then waits until a person lets it continue to the limit."
          errorMessage={errors['budget.ask_at']}
        />
        <SelectField
          label="Prompt cache"
          options={cacheTimes}
          value={draft.prompt_cache}
          onChange={(prompt_cache) => onChange({ prompt_cache })}
          errorMessage={errors.prompt_cache}
          description="Anthropic charges less for text that it has read recently."
        />
      </div>
    </AgentTopic>
  )
}

function describeSeconds(seconds: number): string {
  if (Number.isNaN(seconds)) return 'Leave empty for 10 minutes.'
  if (seconds < 90) return `${seconds} seconds.`
  const minutes = Math.round(seconds / 6) / 10
  return minutes < 90 ? `About ${minutes} minutes.` : `About ${Math.round(minutes / 6) / 10} hours.`
}
