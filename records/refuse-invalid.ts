/** What the cluster's own rules refuse, as the caller's mistake in the rule's sentence. */

import { isInvalid } from '../cluster/errors.ts';
import { refuse } from '../contract/problem.ts';

const longestRefusal = 300;

/** For `.catch()` of a write of a record: throws Problem invalid_request, or the error itself when it is another one. */
export function refuseInvalid(error: unknown): never {
  if (!(error instanceof Error) || !isInvalid(error)) throw error;
  const sentence = error.message.split(/Invalid value: (?:"object"|"array"|"string"): /).at(-1) ?? error.message;
  throw refuse(sentence.slice(0, longestRefusal), error);
}
