#!/bin/sh
# Has what is staged reviewed: `sh review.sh --model anthropic/…`. Answers stream to stdout, with a line for each tool call and
# the cost at the end. The options are pi's; the model may only look. Needs git and jq.
set -eu

git diff --staged |
  ${PI:-pi} --mode json --stream deltas --read-only "$@" "Review this change: name what is wrong with it, or say that it is good." |
  jq --unbuffered --raw-output --join-output '
    if .type == "message_update" and .assistantMessageEvent.type == "text_delta" then .assistantMessageEvent.delta
    elif .type == "tool_execution_start" then "[\(.toolName) \(.args | tostring)]\n"
    elif .type == "message_end" and .message.role == "assistant" then "\n\(.message.errorMessage // "")"
    elif .type == "agent_end" then "(\([.messages[] | select(.role == "assistant") | .usage.cost.total] | add // 0) USD)\n"
    else empty end'
