import type { CallInput } from '@homeward/contract/client'
import type {
  AgentPlatformOperations,
  ModelProviderView,
  ProviderApi,
} from '@homeward/contract/agent-platform'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toFieldErrors } from '../api/field-errors.ts'
import { firstModel, moveDemoAgent } from './demo-model.ts'
import { platform } from '../api/platform.ts'
import { refresh } from '../api/refresh.ts'
import { Button } from '../components/buttons/button.tsx'
import { SecretField, type SecretChange } from '../components/fields/secret-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { showToast } from '../components/states/toasts.tsx'

/** The APIs that model providers are called with, as people know them. */
export const apiNames: Readonly<Record<ProviderApi, string>> = {
  'openai-chat': 'OpenAI Chat Completions',
  'openai-responses': 'OpenAI Responses',
  anthropic: 'Anthropic Messages',
  google: 'Google Gemini',
}

/** What a {@link ModelProviderForm} takes. */
interface ModelProviderFormProps {
  /** The provider to change; undefined for a new one. */
  readonly saved: ModelProviderView | undefined
  readonly onSaved: () => void
}

const apis = Object.entries(apiNames).map(([value, label]) => ({
  value: value as ProviderApi, // a key of the table
  label,
}))

/** Adds a model provider, or changes one. Its key is sent and forgotten. */
export function ModelProviderForm({ saved, onSaved }: ModelProviderFormProps) {
  const [name, setName] = useState(saved?.name ?? '')
  const [api, setApi] = useState<ProviderApi>(saved?.api ?? 'openai-chat')
  const [baseUrl, setBaseUrl] = useState(saved?.base_url ?? '')
  const [key, setKey] = useState<SecretChange>()
  const [models, setModels] = useState<readonly string[]>(saved?.models ?? [])
  const queries = useQueryClient()
  const [problem, setProblem] = useState<string>()
  const save = useMutation({
    // What the provider lists proves its address and its key.
    mutationFn: async (input: CallInput<AgentPlatformOperations['saveModelProvider']>) => {
      await platform.saveModelProvider(input)
      const models = await platform.listModels()
      const first = firstModel({ id: input.params.name }, models)
      return { models, demoModel: first === undefined ? undefined : await moveDemoAgent(first) }
    },
    retry: false,
    onSuccess({ models, demoModel }) {
      queries.setQueryData(['listModels', {}], models)
      for (const id of ['listModelProviders', 'listAgents']) void refresh(queries, { queryKey: [id] })
      const failed = models.problems.find(({ provider }) => provider === name)
      setProblem(failed?.message)
      if (failed) return
      const count = models.models.filter(({ provider }) => provider === name).length
      const found = count === 1 ? '1 model found.' : `${count} models found.`
      const demo = demoModel === undefined ? '' : ` The agent Demo uses ${demoModel} now.`
      showToast({ title: `${name} saved`, text: found + demo })
      onSaved()
    },
  })
  const { fields, rest } = toFieldErrors(save.error, ['name', 'base_url', 'api_key', 'models'])

  function send(): void {
    const body = { api, base_url: baseUrl, models: models.length > 0 ? [...models] : null }
    save.mutate({ params: { name }, body: { ...body, ...(key !== undefined && { api_key: key }) } })
  }

  return (
    <SubmitForm onSubmit={send} error={save.error ?? problem}>
      <div className="field-grid">
        <TextField
          label="Name"
          isRequired
          isReadOnly={saved !== undefined}
          value={name}
          onChange={setName}
          placeholder="ollama"
          autoComplete="off"
          spellCheck="false"
          errorMessage={fields['name']}
        />
        <SelectField label="API" options={apis} value={api} onChange={setApi} />
        <TextField
          label="Base URL"
          isRequired
          value={baseUrl}
          onChange={setBaseUrl}
          placeholder="http://127.0.0.1:11434/v1"
          description="Including the version path."
          autoComplete="off"
          spellCheck="false"
          errorMessage={fields['base_url']}
        />
        <SecretField
          label="API key"
          isSet={saved?.has_api_key === true}
          change={key}
          onChange={setKey}
          errorMessage={fields['api_key']}
        />
      </div>
      <TokenField
        label="Model ids"
        values={models}
        onChange={setModels}
        errorMessage={fields['models']}
        description="Needed only if the provider does not list its models."
      />
      {problem !== undefined && (
        <Notice tone="bad">The provider is saved, but it does not list its models: {problem}</Notice>
      )}
      {rest && <ErrorState error={rest} isInline />}
      <div className="row">
        <Button type="submit" variant="primary" isPending={save.isPending} isDisabled={!name || !baseUrl}>
          Test and save
        </Button>
      </div>
    </SubmitForm>
  )
}
