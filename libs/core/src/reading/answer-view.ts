import type { AnswerView } from '../model/views.js';

/**
 * An answer as a function of the contract sees it. To parse a long body takes longer than all else: that is done only for who
 * looks at it.
 */
export function answerView({ status, headers, request }: Omit<AnswerView, 'body'>, body: () => unknown): AnswerView {
  return {
    status,
    headers,
    get body() {
      return body();
    },
    request,
  };
}
