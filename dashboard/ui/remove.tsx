/** Takes one row away, such as a variable, once it was said what is lost with it. */
import { ConfirmButton } from './confirm.tsx'

interface Props {
  readonly name: string
  readonly act: () => Promise<unknown>
  /** What is lost, as a sentence. */
  readonly children: string
}

export function RemoveButton({ name, act, children }: Props) {
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove ${name}`}
      small
      kind="quiet"
      title={`Remove ${name}?`}
      verb="Remove it"
      keep="Keep it"
      act={act}
    >
      <p className="text-muted">{children}</p>
    </ConfirmButton>
  )
}
