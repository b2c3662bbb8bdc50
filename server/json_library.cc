// Boost.JSON is compiled here, once.
#include <boost/json/src.hpp>
