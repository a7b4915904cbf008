import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { platform } from '../../api/platform.ts'
import { refresh } from '../../api/refresh.ts'
import { Button } from '../../components/buttons/button.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { TextField } from '../../components/fields/text-field.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { Notice } from '../../components/states/notice.tsx'
import { showToast } from '../../components/states/toasts.tsx'
import { firstModel, moveDemoAgent } from '../../settings/demo-model.ts'
import { type KeyProvider, keyProviders } from './use-first-steps.ts'

/** Saves the key of a provider, and asks the provider for its models: what it lists proves the key. */
export function ConnectModel() {
  const queries = useQueryClient()
  const [provider, setProvider] = useState<KeyProvider>(keyProviders[0])
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const test = useMutation({
    mutationFn: () => connect(provider, key.trim()),
    onSuccess({ problem: failed, models, demoModel }) {
      setKey('')
      setProblem(failed)
      queries.setQueryData(['listModels', {}], models)
      for (const id of ['getSettings', 'listAgents']) void refresh(queries, { queryKey: [id] })
      if (failed === undefined) {
        const text = demoModel === undefined ? {} : { text: `The agent Demo uses ${demoModel} now.` }
        showToast({ title: `${provider.name} is connected`, ...text })
      }
    },
  })
  return (
    <SubmitForm
      onSubmit={() => {
        if (key.trim() !== '') test.mutate()
      }}
      error={test.error ?? problem}
    >
      <div className="row checklist-key" data-align="end">
        <SelectField
          label="Provider"
          value={provider.id}
          options={keyProviders.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => setProvider(keyProviders.find((each) => each.id === id) ?? keyProviders[0])}
        />
        <div className="grow">
          {/* `new-password`: a browser must not fill in the password of some other site. */}
          <TextField
            label="API key"
            type="password"
            autoComplete="new-password"
            value={key}
            onChange={setKey}
          />
        </div>
        <Button type="submit" variant="primary" isPending={test.isPending} isDisabled={key.trim() === ''}>
          Test and save
        </Button>
      </div>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {test.error && <ErrorState error={test.error} isInline />}
      <p className="muted small">
        The key is stored on this server only. For a model on your own machine,{' '}
        <Link href="/settings#models">add its server in the settings</Link>.
      </p>
    </SubmitForm>
  )
}

/** Saves a key and tests it. The demo agent gets a model of the provider if it has a test model. */
async function connect(provider: KeyProvider, key: string) {
  const { overridden } = await platform.updateSettings({ body: { [`${provider.id}_api_key`]: key } })
  const models = await platform.listModels()
  const refused = models.problems.find((each) => each.provider === provider.id)
  const model = firstModel(provider, models)
  if (refused !== undefined || model === undefined) {
    const reason = refused?.message ?? 'The provider lists no model for this key.'
    const other = overridden === undefined ? '' : ' An environment variable of the server overrides the key.'
    return { models, problem: `Testing the key failed: ${reason}${other}`, demoModel: undefined }
  }
  return { models, problem: undefined, demoModel: await moveDemoAgent(model) }
}
