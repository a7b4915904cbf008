import { LogOut } from 'lucide-react'
import { useMutation } from '@tanstack/react-query'
import { signOut, useServerFacts } from '../api/server-facts.ts'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

/** The person who has signed in at the identity provider. */
export function Account() {
  const user = useServerFacts()?.signIn?.user
  const { mutate, isPending } = useMutation({
    mutationFn: signOut,
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
  if (!user) return null
  return (
    <div className="row shell-account" data-justify="between">
      <span className="foreign" title={user.name}>
        {user.name}
      </span>
      <IconButton
        label="Sign out"
        icon={<LogOut aria-hidden />}
        isDisabled={isPending}
        onPress={() => mutate()}
      />
    </div>
  )
}
