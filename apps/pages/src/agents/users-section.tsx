import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import type { AgentSectionProps } from './agent-topic.tsx'
import { AgentTopic } from './agent-topic.tsx'
import type { UserBudgetDraft } from './users-draft.ts'

const audiences = [
  { value: 'nobody', label: 'Administrators only' },
  { value: 'listed', label: 'Listed people' },
  { value: 'everyone', label: 'Everyone who signs in' },
] as const

const folders = [
  { value: 'user', label: 'Files of each user' },
  { value: 'agent', label: 'Shared files' },
] as const

const periods = [
  { value: 'day', label: 'Each day (UTC)' },
  { value: 'month', label: 'Each month (UTC)' },
] as const

const fields = ['users', 'user_budget', 'workspace']

/** Form fields about users: who may use the agent, whose files it works with, and the budget of each user. */
export function UsersSection({ draft, onChange, errors, isFolded, summaries }: AgentSectionProps) {
  const topic = { errors, isFolded, summary: summaries?.users }
  const { users, user_budget: budget } = draft
  const changeBudget = (changed: Partial<UserBudgetDraft>) =>
    onChange({ user_budget: { ...budget, ...changed } })
  return (
    <AgentTopic title="Users" fields={fields} {...topic}>
      <div className="field-grid">
        <SelectField
          label="People on the pages"
          options={audiences}
          value={users.who}
          onChange={(who) => onChange({ users: { ...users, who } })}
          errorMessage={users.who === 'listed' ? undefined : errors.users}
          description="People who sign in at the identity provider. They see only their own data."
        />
        <SelectField
          label="Workspace"
          options={folders}
          value={draft.workspace}
          onChange={(workspace) => onChange({ workspace })}
          errorMessage={errors.workspace}
          description="Files that the agent reads and writes."
        />
      </div>
      {users.who === 'listed' && (
        <TokenField
          label="Listed people"
          values={users.listed}
          onChange={(listed) => onChange({ users: { ...users, listed } })}
          errorMessage={errors.users}
          placeholder="ann@example.com"
          description="Subjects or verified e-mail addresses."
        />
      )}
      <div className="field-grid">
        <NumberField
          label="Tokens for each user"
          value={budget.max_tokens}
          onChange={(max_tokens) => changeBudget({ max_tokens })}
          minValue={1}
          maxValue={1_000_000_000_000}
          placeholder="no budget"
          description="Input and output tokens together."
          errorMessage={errors['user_budget.max_tokens'] ?? errors.user_budget}
        />
        <NumberField
          label="US dollars for each user"
          value={budget.max_usd}
          onChange={(max_usd) => changeBudget({ max_usd })}
          minValue={0}
          maxValue={1_000_000}
          formatOptions={{ maximumFractionDigits: 4 }}
          placeholder="no budget"
          errorMessage={errors['user_budget.max_usd']}
        />
        <SelectField
          label="The budget of a user is for"
          options={periods}
          value={budget.period}
          onChange={(period) => changeBudget({ period })}
          errorMessage={errors['user_budget.period']}
        />
        <NumberField
          label="Ask the user at"
          value={budget.ask_at}
          onChange={(ask_at) => changeBudget({ ask_at })}
          minValue={0}
          maxValue={1}
          formatOptions={{ style: 'percent' }}
          placeholder="never"
          description="Share of the budget at which a run asks before it continues."
          errorMessage={errors['user_budget.ask_at']}
        />
      </div>
    </AgentTopic>
  )
}
