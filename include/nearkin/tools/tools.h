// The rest of the library: the theory, samples and forecasts, evaluation, reports, and what front ends need. A program that only finds
// near-duplicates does not need it; include single headers as you need them.
#pragma once

#include <nearkin/tools/compare.h>
#include <nearkin/tools/decisions.h>
#include <nearkin/tools/describe.h>
#include <nearkin/tools/evaluate.h>
#include <nearkin/tools/forecast.h>
#include <nearkin/tools/front_end.h>
#include <nearkin/tools/lists.h>
#include <nearkin/tools/names.h>
#include <nearkin/tools/plot.h>
#include <nearkin/tools/report.h>
#include <nearkin/tools/sample.h>
#include <nearkin/tools/sensitive.h>
#include <nearkin/tools/sketch_file.h>
#include <nearkin/tools/spelling.h>
#include <nearkin/tools/theory.h>
#include <nearkin/tools/truth.h>
#include <nearkin/tools/units.h>
#include <nearkin/tools/what_if.h>
