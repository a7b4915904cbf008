import type { JsonObject, SkillDetails } from '@homeward/contract/agent-platform'
import { Suspense, useState } from 'react'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import { ErrorBoundary } from '../components/states/error-boundary.tsx'
import { lazyPart, PartNotLoaded } from '../components/states/lazy-part.ts'
import { LoadingState } from '../components/states/loading-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { toEnvironmentSchema } from './environment-schema.ts'

const ConfigForm = lazyPart(async () => (await import('./config-form.tsx')).ConfigForm)

/** The config of a skill: by its own schema, or without one the environment that it names and its address. */
export function SkillConfig({ skill }: { readonly skill: SkillDetails }) {
  const params = { id: skill.id }
  const schema = usePlatformQuery('getSkillConfigSchema', { params }, { enabled: skill.has_config })
  const config = usePlatformQuery('getSkillConfig', { params })
  return (
    <Card title="Config">
      <QueryView key={skill.id} query={config} isFresh>
        {(values) =>
          skill.has_config ? (
            <QueryView query={schema} isFresh>
              {(rules) => <SavedForm id={skill.id} schema={rules} config={values} />}
            </QueryView>
          ) : (
            <SavedForm id={skill.id} schema={toEnvironmentSchema(skill, values)} config={values} />
          )
        }
      </QueryView>
    </Card>
  )
}

interface SavedFormProps {
  readonly id: string
  readonly schema: JsonObject
  readonly config: JsonObject
}

function SavedForm({ id, schema, config }: SavedFormProps) {
  // The form begins with what was there when it was opened or last saved: reading it again must not undo what is written.
  const [begun, setBegun] = useState({ round: 0, schema, config })
  const reread = usePlatformQuery('getSkillConfig', { params: { id } }).refetch
  const [isReading, setIsReading] = useState(false)
  const save = usePlatformMutation('saveSkillConfig', {
    invalidates: ['getSkill', 'listSkills'],
    async onSuccess() {
      const { data = config } = await reread()
      save.reset()
      setBegun(({ round }) => ({ round: round + 1, schema, config: data }))
      showToast({ title: 'Saved', text: 'The change applies to new runs.' })
    },
  })
  /** Over what is saved by now: in another tab, or by another person. Where that cannot be read, saving fails as well. */
  async function send(toSave: (now: JsonObject) => JsonObject | undefined): Promise<void> {
    setIsReading(true)
    const { data = config } = await reread()
    setIsReading(false)
    const body = toSave(data)
    if (body) save.mutate({ params: { id }, body })
  }

  return (
    <ErrorBoundary
      resetKey={`${id} ${begun.round}`}
      fallback={(error) =>
        error instanceof PartNotLoaded ? undefined : (
          <Notice tone="bad">
            The schema of this config cannot be shown as a form. Report this to the skill's author.
          </Notice>
        )
      }
    >
      <Suspense fallback={<LoadingState />}>
        <ConfigForm
          {...begun}
          isPending={isReading || save.isPending}
          error={save.error}
          onSave={(toSave) => void send(toSave)}
        />
      </Suspense>
    </ErrorBoundary>
  )
}
